use wgpu_clamp::*;
fn main() {
    let src = Layout::strided(&[1, 16, 16], &[256, -1, 16], 271).unwrap();
    let dst = Layout::packed(&[1, 16, 16]).unwrap();
    let c = Clamp::new(0_u16, 100).with_source(DType::F16).unwrap();
    let plan = Plan::in_one_buffer(&c, &src, &dst, Limits::default()).unwrap();
    println!("{plan}\n{plan:?}");
    for s in plan.shaders() {
        let t = s.wgsl;
        println!("{}", &t[t.find("// A block of").unwrap_or(0)..]);
    }
}
