//! The output appears when it is complete, and not before.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::example::{NO_ADAPTER, command, data, names, refused, run, succeeded};

/// The name of an output that is not complete.
fn is_part(name: &str) -> bool {
    name.starts_with(".out.npy.") && Path::new(name).extension().is_some_and(|extension| extension == "part")
}

#[test]
fn a_file_that_is_cut_or_goes_on_leaves_no_output() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let whole = fs::read(data("f4_c.npy")).unwrap();
    let input = folder.path().join("in.npy");
    fs::write(&input, &whole[..whole.len() - 1]).unwrap();
    refused(&run(&["--min=0"], &input, &out), &["in.npy: it is truncated", "480 bytes", "479 follow"]);
    fs::write(&input, [&whole[..], b"\n"].concat()).unwrap();
    refused(&run(&["--min=0"], &input, &out), &["in.npy: 1 bytes follow after its 120 elements"]);
    assert_eq!(names(folder.path()), ["in.npy"]);

    // The same through a pipe, whose length nobody knows.
    let through_pipe = |bytes: &[u8]| {
        let mut child = command(&["--min=0"], "-", &out)
            .env(NO_ADAPTER.0, NO_ADAPTER.1)
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        child.wait_with_output().unwrap()
    };
    refused(&through_pipe(&whole[..whole.len() - 1]), &["-: it ends before element 120 of 120"]);
    refused(&through_pipe(&[&whole[..], b"\n"].concat()), &["-: more follows after its 120 elements"]);
    refused(&through_pipe(b""), &["-: not a .npy file: it is empty"]);
    assert_eq!(names(folder.path()), ["in.npy"]);
    succeeded(&through_pipe(&whole));
    assert_eq!(names(folder.path()), ["in.npy", "out.npy"]);
}

/// Starts the example on a pipe, feeds it three slices and no end, and waits until a part of the output is on the disk.
#[track_caller]
fn half_done(folder: &Path) -> Child {
    let mut child = command(&["--min=1"], "-", folder.join("out.npy"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000,)}";
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"\x93NUMPY\x01\x00").unwrap();
    stdin.write_all(&u16::try_from(header.len()).unwrap().to_le_bytes()).unwrap();
    stdin.write_all(header.as_bytes()).unwrap();
    stdin.write_all(&vec![0; 96 << 20]).unwrap();
    let start = Instant::now();
    loop {
        let part = names(folder).into_iter().find(|name| is_part(name));
        if part.is_some_and(|part| fs::metadata(folder.join(part)).unwrap().len() > 16 << 20) {
            break;
        }
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is written: {:?}", names(folder));
        std::thread::sleep(Duration::from_millis(5));
    }
    // Still open, so that the example waits for more.
    child.stdin = Some(stdin);
    child
}

#[test]
fn killed_in_the_middle_it_leaves_the_output_as_it_was() {
    let folder = TempDir::new().unwrap();
    let mut child = half_done(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let left = names(folder.path());
    assert!(left.iter().all(|name| is_part(name)), "{left:?}");

    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    fs::write(&out, "before").unwrap();
    let mut child = half_done(folder.path());
    assert_eq!(fs::read(&out).unwrap(), b"before");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read(&out).unwrap(), b"before");
}

#[test]
fn an_input_that_ends_in_the_middle_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let mut child = half_done(folder.path());
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn an_error_leaves_the_output_as_it_was() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    fs::write(&out, "before").unwrap();
    let whole = fs::read(data("f4_c.npy")).unwrap();
    let input = folder.path().join("in.npy");
    fs::write(&input, &whole[..whole.len() - 1]).unwrap();
    refused(&run(&["--min=0"], &input, &out), &["truncated"]);
    refused(&run(&["--min=x"], data("f4_c.npy"), &out), &["--min"]);
    refused(&run(&["--min=0"], folder.path().join("none.npy"), &out), &["cannot read", "none.npy"]);
    refused(&run(&["--min=0"], folder.path(), &out), &["cannot read", "directory"]);
    assert_eq!(fs::read(&out).unwrap(), b"before");
    refused(&run(&["--min=0"], data("f4_c.npy"), folder.path()), &["cannot write", "not a file"]);
    let nowhere = folder.path().join("nowhere/out.npy");
    refused(&run(&["--min=0"], data("f4_c.npy"), nowhere), &["cannot write", "nowhere"]);
    assert_eq!(names(folder.path()), ["in.npy", "out.npy"]);
}

#[test]
fn input_and_output_may_be_one_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("x.npy");
    fs::copy(data("f4_c.npy"), &file).unwrap();
    succeeded(&command(&["--min=-1.1", "--max=2.3"], &file, &file).output().unwrap());
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
    assert_eq!(names(folder.path()), ["x.npy"]);

    // By its name alone, from the folder.
    fs::copy(data("f4_c.npy"), &file).unwrap();
    let mut here = command(&["--min=-1.1", "--max=2.3"], "x.npy", "x.npy");
    succeeded(&here.current_dir(folder.path()).output().unwrap());
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
    assert_eq!(names(folder.path()), ["x.npy"]);
}

#[test]
fn one_file_keeps_its_dtype() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("x.npy");
    fs::copy(data("f4_c.npy"), &file).unwrap();
    let words = ["--dtype: ", "x.npy is f32 and would become u8; give OUTPUT another name"];
    refused(&run(&["--dtype=u8"], &file, &file), &words);
    refused(&run(&["--dtype=u8"], &file, folder.path().join("./x.npy")), &words);
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        refused(&run(&["--dtype=u8"], &file, &link), &words);
        fs::remove_file(link).unwrap();
    }
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.npy")).unwrap());
    assert_eq!(names(folder.path()), ["x.npy"]);

    // The dtype that it has.
    succeeded(&run(&["--dtype=f32", "--min=-1.1", "--max=2.3"], &file, &file));
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let folder = TempDir::new().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "before").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    succeeded(&run(&["--min=-1.1", "--max=2.3"], data("f4_c.npy"), &link));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);

    // A new file is as readable as others that are created here.
    let (new, other) = (folder.path().join("new"), folder.path().join("other"));
    fs::write(&other, "").unwrap();
    succeeded(&run(&["--min=0"], data("f4_c.npy"), &new));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&new), mode(&other));

    // A rename would have put a file in the place of the socket, as of a pipe or a device.
    let socket = folder.path().join("socket");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    refused(&run(&["--min=0"], data("f4_c.npy"), &socket), &["cannot write", "not a file"]);
    assert!(!fs::metadata(&socket).unwrap().is_file());
    drop(listener);
}

#[test]
fn quiet_is_quiet_and_nobody_has_to_listen() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out.npy");
    let quiet = run(&["--quiet", "--min=0"], data("f4_c.npy"), &out);
    succeeded(&quiet);
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{quiet:?}");
    let loud = run(&["--min=0"], data("f4_fortran.npy"), &out);
    let said = String::from_utf8(loud.stdout).unwrap();
    assert!(said.contains("f4_fortran.npy: 120 elements of f32, shape (4, 5, 6), Fortran order\n"), "{said}");
    assert!(said.contains("out.npy: 120 elements, 480 B, in "), "{said}");

    // A pipe whose reader has gone.
    fs::remove_file(&out).unwrap();
    let mut child = command(&["--min=-1.1", "--max=2.3"], "-", &out)
        .env(NO_ADAPTER.0, NO_ADAPTER.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    child.stdin.take().unwrap().write_all(&fs::read(data("f4_c.npy")).unwrap()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(fs::read(&out).unwrap(), fs::read(data("f4_c.out.npy")).unwrap());
}
