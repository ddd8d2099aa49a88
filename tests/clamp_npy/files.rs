//! The output appears when it is complete, and not before.

use std::fs::{self, File};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::example::{Folder, command, data, read, refused};

#[test]
fn a_file_that_is_cut_or_goes_on_leaves_no_output() {
    let folder = Folder::new();
    let whole = fs::read(data("f4.npy")).unwrap();
    let input = folder.path("in.npy");
    fs::write(&input, &whole[..whole.len() - 1]).unwrap();
    let words = "in.npy: 479 bytes follow its header; [120] elements of f32 take 480";
    refused(&folder.run(&["--min=0"], &input), &[words]);
    fs::write(&input, [&whole[..], b"\n"].concat()).unwrap();
    refused(&folder.run(&["--min=0"], &input), &["in.npy: 481 bytes follow its header"]);
    assert_eq!(folder.names(), ["in.npy"]);
}

/// Starts the example on a large file, and waits until a part of the output is on the disk.
#[track_caller]
fn half_done(folder: &Folder) -> Child {
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000,)}";
    let input = folder.input(header, &[]);
    // A sparse file: its zeros take no space on the disk.
    let file = File::options().append(true).open(&input).unwrap();
    file.set_len(file.metadata().unwrap().len() + 1_000_000_000).unwrap();
    let mut child = command(&["--min=1"], &input, folder.path("out.npy"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    loop {
        let part = folder.names().into_iter().find(|name| name.starts_with(".clamp_npy."));
        if part.is_some_and(|part| fs::metadata(folder.path(&part)).unwrap().len() > 4 << 20) {
            return child;
        }
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is written: {:?}", folder.names());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn killed_in_the_middle_it_leaves_the_output_as_it_was() {
    let folder = Folder::new();
    let out = folder.path("out.npy");
    fs::write(&out, "before").unwrap();
    let mut child = half_done(&folder);
    assert_eq!(fs::read(&out).unwrap(), b"before");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"before");
}

#[test]
fn an_input_that_ends_in_the_middle_leaves_nothing() {
    let folder = Folder::new();
    let child = half_done(&folder);
    File::options().write(true).open(folder.path("in.npy")).unwrap().set_len(100).unwrap();
    refused(&child.wait_with_output().unwrap(), &["INPUT: ", "in.npy: "]);
    assert_eq!(folder.names(), ["in.npy"]);
}

#[test]
fn the_input_is_never_overwritten() {
    let folder = Folder::new();
    fs::copy(data("f4.npy"), folder.path("x.npy")).unwrap();
    let run =
        |input, output| command(&["--min=0"], folder.path(input), folder.path(output)).output().unwrap();
    refused(&run("x.npy", "x.npy"), &["OUTPUT", "x.npy is INPUT; give another name"]);
    refused(&run("x.npy", "./x.npy"), &["is INPUT"]);
    #[cfg(unix)]
    {
        let link = folder.path("link");
        std::os::unix::fs::symlink(folder.path("x.npy"), &link).unwrap();
        refused(&run("x.npy", "link"), &["is INPUT"]);
        refused(&run("link", "x.npy"), &["is INPUT"]);
        fs::remove_file(link).unwrap();
    }
    assert_eq!(fs::read(folder.path("x.npy")).unwrap(), fs::read(data("f4.npy")).unwrap());
    assert_eq!(folder.names(), ["x.npy"]);

    // An output that is another file is replaced. Both paths are relative to the folder.
    fs::write(folder.path("y.npy"), "before").unwrap();
    let mut here = command(&["--min=-1.1", "--max=2.3"], "x.npy", "y.npy");
    assert!(here.current_dir(folder.path("")).status().unwrap().success());
    assert_eq!(read(&folder.path("y.npy")), read(&data("f4.out.npy")));
    assert_eq!(folder.names(), ["x.npy", "y.npy"]);
}

#[cfg(unix)]
#[test]
fn links_stay_and_permissions_are_those_of_the_input() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = Folder::new();
    let [input, file, link] = ["in.npy", "file", "link"].map(|name| folder.path(name));
    fs::copy(data("f4.npy"), &input).unwrap();
    fs::set_permissions(&input, fs::Permissions::from_mode(0o640)).unwrap();
    fs::write(&file, "before").unwrap();
    symlink(&file, &link).unwrap();
    assert!(command(&["--min=-1.1", "--max=2.3"], &input, &link).status().unwrap().success());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&file), read(&data("f4.out.npy")));
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);

    // A rename would replace a socket, a pipe or a device by a file.
    let socket = folder.path("socket");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let to_socket = command(&["--min=0"], &input, &socket).output().unwrap();
    refused(&to_socket, &["OUTPUT: ", "is not a file; give another name"]);
    assert!(!fs::metadata(&socket).unwrap().is_file());
    drop(listener);
}
