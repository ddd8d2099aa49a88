use wgpu_clamp::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let g = |shape: [usize; 8], phase: usize| {
        let mut strides = [0isize; 8];
        let mut s = 1usize;
        for d in (0..8).rev() {
            strides[d] = s as isize;
            s *= shape[d];
            if d % 2 == phase {
                s += s / 4;
            }
        }
        Layout::strided(&shape, &strides, 0).unwrap()
    };
    let _ = a;
    let sh = [4, 4, 4, 8, 8, 8, 8, 16];
    let c = Clamp::new(0_u8, 100);
    let plan = Plan::new(&c, &g(sh, 0), &g(sh, 1), Limits::default()).unwrap();
    println!("{plan}");
}
