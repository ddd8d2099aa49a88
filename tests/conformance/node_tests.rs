//! The official ONNX node tests of Clip, as the files that ONNX ships.

use std::path::Path;

use crate::harness::gpus;
use crate::onnx_file::Test;
use crate::run::{elements, on_gpu};

#[test]
fn the_official_node_tests_pass_with_bounds_of_the_host_and_on_the_gpu() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/onnx");
    let mut folders: Vec<_> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    assert_eq!(folders.len(), 24, "a node test is missing");
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let test = Test::read(&folder).unwrap_or_else(|error| panic!("{name}: {error}"));
        let dtype = test.x.dtype;
        assert!(test.opset >= 11 && test.y.dtype == dtype && test.y.shape == test.x.shape, "{name}");
        let clamp = test.clamp(false).unwrap();
        let slots = test.clamp(true).unwrap();
        let present = [&test.min, &test.max].into_iter().flatten().count();
        let on_slots = [slots.min(), slots.max()].iter().filter(|&&b| b == wgpu_clamp::Bound::OnGpu).count();
        assert_eq!(present, on_slots, "{name}");
        for gpu in gpus() {
            for slots in [false, true] {
                let x = elements(dtype, &test.x.bytes);
                let got = on_gpu(gpu, &clamp, &x, &test.x.shape, slots);
                assert_eq!(got, elements(dtype, &test.y.bytes), "{name} on {}, slots: {slots}", gpu.name);
            }
        }
    }
}
