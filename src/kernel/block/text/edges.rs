//! Writes the entry point `block_edges` for runs that begin anywhere in a packet of dst. It takes the elements before
//! and behind a run's whole packets.

use super::super::Numbers;
use super::{COMPONENTS, Expr, Text, entry_point};
use crate::kernel::region::DST;

impl Text<'_> {
    /// Writes the entry point, with an invocation per element. `along`: the first dimension of a run.
    pub(super) fn edges(&mut self, along: usize) {
        let block = self.block;
        let per_packet = block.per_store();
        let runs = block.rows(DST).len();
        self.line("// What lies before and behind the whole packets of runs, a packet of each in all.");
        self.line(entry_point("block_edges"));
        self.indent += 1;
        self.line(format!("let edge_0 = edge(workgroup, invocation, {runs}u, {per_packet}u);"));
        self.line("let at = edge_0.at;");
        self.within("if !at.inside {", |text| text.line("return;"));
        let mut places = vec![Expr::Number(0); block.dims().len()];
        // The index of the run along each dimension of the block.
        let mut rest = "edge_0.run".to_owned();
        for (d, dim) in block.dims()[..along].iter().enumerate().rev() {
            self.line(format!("let place_{d} = {rest} % {}u;", dim.extent));
            self.line(format!("let run_{d} = {rest} / {}u;", dim.extent));
            (places[d], rest) = (Expr::name(format!("place_{d}")), format!("run_{d}"));
        }
        let behind_start = |side: &str, places: &[Expr]| {
            let pitch = |component| Expr::name(format!("params.geometry.{side}_pitch.{component}"));
            let steps = places.iter().zip(COMPONENTS).map(|(place, of)| place.clone().binary("*", pitch(of)));
            steps.fold(Expr::name(format!("at.{side}")), |at, step| at.binary("+", step))
        };
        self.line(format!("let run = {};", behind_start("dst", &places[..along])));
        self.line(format!("let ahead = ({per_packet}u - run % {per_packet}u) % {per_packet}u;"));
        self.within("if ahead == 0u {", |text| text.line("return;"));
        // The index of the element in the run, then along each dimension of the block.
        let of_block: usize = block.dims()[along..].iter().map(|dim| usize::from(dim.extent)).product();
        self.line(format!("let length = params.geometry.blocks.x * {of_block}u;"));
        self.line("let i = edge_0.number;");
        self.line(format!("let number = select(length - {per_packet}u + i, i, i < ahead);"));
        let mut rest = "number".to_owned();
        for (d, dim) in block.dims().iter().enumerate().skip(along + 1).rev() {
            self.line(format!("let place_{d} = {rest} % {}u;", dim.extent));
            self.line(format!("let pixel_{d} = {rest} / {}u;", dim.extent));
            (places[d], rest) = (Expr::name(format!("place_{d}")), format!("pixel_{d}"));
        }
        places[along] = Expr::name(rest);
        if block.numbers != Numbers::One {
            let d = block.channel_dim();
            let of_block = d.map_or(1, |d| block.dims[d].extent);
            let place = d.map_or(Expr::Number(0), |d| places[d].clone());
            let first = "params.geometry.walk.first_channel";
            self.line(format!("set_channel({first} + at.channel * {of_block}u + {place});"));
        }
        self.line(format!("let value = element(load_src({}));", behind_start("src", &places)));
        self.line("store_dst(run + number, value);");
        self.indent -= 1;
        self.line("}");
    }
}
