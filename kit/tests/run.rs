//! Tests whole runs of a kit whose programs are a few lines of shell each.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use tempfile::TempDir;

/// A driver with one GPU.
const DOCTOR: &str = r#"
[ "$1" = --list ] && [ "$WGPU_BACKEND" = gl ] && { echo "no adapter"; exit 1; }
printf 'Some GPU (Vulkan, DiscreteGpu)\n  driver: some 1.2\n'
[ "$1" = --list ] && exit
echo "  self-test, 1 s: Some GPU: 810 of 810 cases agree with the CPU reference, 1 elements"
"#;

/// A suite with three tests. `THIRD` stands for the third test's command.
const SUITE: &str = r#"
case "$*" in
--list*) printf 'a::one: test\na::two: test\na::three: test\n' ;;
--skip*) printf 'test a::one ... ok\ntest a::two ... ok\n'; THIRD ;;
*a::three) THIRD ;;
*) echo 'test result: ok. 1 passed; 0 failed; 0 ignored;' ;;
esac
"#;

/// A kit of shell programs.
fn kit(doctor: &str, third: &str, bench: &str) -> TempDir {
    // On the program's disk, so that the program can be linked: a fresh copy may fail with "text file busy".
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::create_dir(folder.path().join("bin")).unwrap();
    fs::hard_link(env!("CARGO_BIN_EXE_run"), folder.path().join("run")).unwrap();
    let suite = SUITE.replace("THIRD", third);
    let passing = SUITE.replace("THIRD", "echo 'test a::three ... ok'");
    for (name, text) in [
        ("doctor", doctor),
        ("gpu", &suite),
        ("conformance", &passing),
        ("clamp-bench", bench),
        ("clamp-proof", bench),
    ] {
        let program = folder.path().join("bin").join(name);
        fs::write(&program, format!("#!/bin/sh\n{text}")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn report(kit: &TempDir) -> String {
    fs::read_to_string(kit.path().join("report/report.md")).unwrap_or_default()
}

fn has(report: &str, part: &str) {
    assert!(report.contains(part), "{part:?} is not in\n{report}");
}

/// Runs a kit to its end. Checks the exit status, and that the report has `parts`.
#[track_caller]
fn check(kit: &TempDir, args: &[&str], success: bool, parts: &[&str]) -> Output {
    let output = Command::new(kit.path().join("run")).args(args).output().unwrap();
    let report = report(kit);
    assert_eq!(output.status.code(), Some(i32::from(!success)), "{output:?}\n{report}");
    for part in parts {
        has(&report, part);
    }
    output
}

#[test]
fn parts_that_are_right_end_in_success() {
    let bench =
        "echo \"$*\" > args; echo '{}' > table.json; printf '| a |\\n| - |\\n| b |\\n\\n1 rows: 1 met\\n'";
    let kit = kit(DOCTOR, "echo 'test a::three ... ok'", bench);
    let parts = [
        "# wgpu-clamp on Some GPU (Vulkan, DiscreteGpu)\n",
        "- adapter: Some GPU (Vulkan, DiscreteGpu), driver some 1.2\n",
        "| tests, Some GPU (Vulkan, DiscreteGpu) | 6 tests: 6 passed |",
        "810 of 810 cases agree",
        "| table | 1 rows: 1 met |",
    ];
    check(&kit, &["--minutes", "1", "tests", "doctor", "table"], true, &parts);
    let read = |name: &str| fs::read_to_string(kit.path().join("report").join(name)).unwrap();
    assert_eq!(read("args"), "--json table.json --plot table.svg --quick --minutes 1\n");
    assert_eq!(read("table.json"), "{}\n");
    assert!(!report(&kit).contains(kit.path().to_str().unwrap()));
}

#[test]
fn a_crash_and_a_wrong_table_end_in_failure_and_stop_nothing() {
    let kit = kit(DOCTOR, "echo 'about to die'; kill -SEGV $$", "echo '| a | **WRONG**: 1 |'; exit 1");
    let parts = [
        "**FAILED**: 6 tests: 5 passed, 1 died; gpu: the process of the quick tests died (signal: 11 (SIGSEGV)",
        "gpu, a::three: died (signal: 11",
        "about to die",
        "810 of 810 cases agree",
        "| table | **WRONG**: ",
    ];
    check(&kit, &["--minutes", "1", "tests", "table", "doctor"], false, &parts);
}

#[test]
fn a_part_that_hangs_leaves_the_others_their_time() {
    let kit = kit(DOCTOR, "kill -STOP $$", "echo '| x | 7 | 0 | 1 s |'; sleep 1000");
    let begun = Instant::now();
    let parts = [
        "cut short: 6 tests: 5 passed, 1 not reached |",
        "not reached: gpu, a::three\n",
        "810 of 810 cases agree",
        "| patterns | cut short: 1 lines, 0 elements differ |",
    ];
    // Nothing was wrong.
    check(&kit, &["--minutes", "0.5", "tests", "doctor", "patterns"], true, &parts);
    assert!(begun.elapsed() < Duration::from_secs(50), "{:?}", begun.elapsed());
}

#[test]
fn a_machine_without_an_adapter_is_told_plainly() {
    let kit = kit("echo no adapter; exit 1", "true", "true");
    let note = "- note: no adapter for vulkan, gl: nothing could be tried. A driver is needed";
    let output = check(&kit, &[], false, &[note]);
    has(&String::from_utf8_lossy(&output.stdout), "no adapter for vulkan, gl");
}

#[test]
fn a_driver_that_dies_of_the_first_question_does_not_hide_the_others() {
    let doctor = format!("[ \"$WGPU_BACKEND\" = gl ] && kill -ABRT $$\n{DOCTOR}");
    let kit = kit(&doctor, "true", "true");
    check(&kit, &["doctor"], true, &["- note: gl: the driver died when it was asked (signal: 6"]);
}

#[test]
fn a_program_that_fails_or_does_nothing_is_reported_with_its_cause() {
    let failing = kit(DOCTOR, "true", "echo 'error: the device was lost'; exit 1");
    let parts = [
        "| table | **FAILED**: error: the device was lost; 0 rows |",
        "| patterns | **FAILED**: error: the device was lost; no line ended |",
    ];
    check(&failing, &["--minutes", "1", "table", "patterns"], false, &parts);
    let idle = kit(DOCTOR, "true", "sleep 1000");
    check(&idle, &["--minutes", "0.2", "patterns"], false, &["| patterns | not run: no line ended |"]);
}

#[test]
fn a_table_that_lacks_rows_is_cut_short() {
    let rows = "Not all rows: 1 of 9 were measured within 1 minutes.";
    let kit =
        kit(DOCTOR, "true", &format!("printf '| a |\\n| - |\\n| b |\\n\\n1 rows: 1 met\\n\\n{rows}\\n'"));
    let part = format!("| table | cut short: 1 rows: 1 met; {rows} |");
    check(&kit, &["--minutes", "1", "table"], true, &[&part]);
}

/// Starts a run and waits for the first output of a part.
fn begun(command: &mut Command, kit: &TempDir) -> Child {
    let child = command.spawn().unwrap();
    let raw = kit.path().join("report/raw");
    let started = Instant::now();
    while fs::metadata(raw.join("patterns.txt")).map_or(0, |file| file.len()) == 0 {
        assert!(started.elapsed() < Duration::from_secs(30), "no part begins");
        std::thread::sleep(Duration::from_millis(50));
    }
    child
}

fn send(child: &Child, signal: Signal) {
    rustix::process::kill_process(Pid::from_child(child), signal).unwrap();
}

/// A run that is interrupted ends its programs and leaves a report.
#[test]
fn an_interrupt_leaves_a_report() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let kit = kit(DOCTOR, "true", "echo '| x | 7 | 0 | 1 s |'; sleep 1000");
        let run = kit.path().join("run");
        // If `nohup` started the tests, the program would inherit an ignored `SIGHUP`.
        let mut command = Command::new(if cfg!(target_os = "linux") { Path::new("env") } else { &run });
        if cfg!(target_os = "linux") {
            command.arg("--default-signal=HUP").arg(&run);
        }
        let mut child = begun(command.args(["patterns", "peers"]), &kit);
        send(&child, signal);
        assert!(child.wait().unwrap().success(), "{signal:?}");
        let report = report(&kit);
        has(&report, "| patterns | cut short: 1 lines, 0 elements differ |");
        has(&report, "| peers | not run: the run was stopped |");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_that_is_to_outlive_its_terminal_does() {
    let kit = kit(DOCTOR, "true", "echo '| x | 7 | 0 | 1 s |'; sleep 1000");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" patterns"]).arg(kit.path().join("run"));
    let mut child = begun(&mut command, &kit);
    send(&child, Signal::HUP);
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none());
    send(&child, Signal::INT);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_suite_that_is_stopped_is_not_wrong() {
    // The suite hangs when asked for its tests.
    let kit = kit(DOCTOR, "true", "true");
    let slow = "#!/bin/sh\necho x > patterns.txt\nsleep 1000\n";
    fs::write(kit.path().join("bin/conformance"), slow).unwrap();
    let mut child = begun(Command::new(kit.path().join("run")).args(["tests", "doctor"]), &kit);
    send(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(1), "nothing ran");
    let report = report(&kit);
    has(&report, "not run: 2 tests: 0 passed, 2 not reached |");
    has(&report, "not reached: conformance, all of its tests; gpu, all of its tests\n");
}

#[test]
fn an_interrupt_while_drivers_are_asked_is_told_as_such() {
    let kit = kit("echo x > patterns.txt; sleep 1000", "true", "true");
    let mut child = begun(&mut Command::new(kit.path().join("run")), &kit);
    send(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(1), "nothing ran");
    let report = report(&kit);
    has(&report, "- note: the run was stopped while drivers were asked for their adapters\n");
    assert!(!report.contains("did not answer") && !report.contains("no adapter for"), "{report}");
}

/// As when a connection is lost, or `head` has seen enough.
#[test]
fn a_closed_terminal_loses_no_report() {
    let kit = kit(DOCTOR, "echo 'test a::three ... ok'", "true");
    let mut command = Command::new(kit.path().join("run"));
    let mut child = command.args(["tests", "doctor"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    let report = report(&kit);
    has(&report, "6 tests: 6 passed |");
    has(&report, "810 of 810 cases agree");
}
