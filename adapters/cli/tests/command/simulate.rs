use crate::process::{FlagFile, run, text};

fn simulated(more: &[&str]) -> String {
    let arguments = [&["simulate", "--clients", "200"], more].concat();
    let output = run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// What does not depend on the machine: all but the first line, which names the threads, and the
/// last one.
fn result(shown: &str) -> Vec<&str> {
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    lines.split_last().unwrap().1.to_vec()
}

#[test]
fn a_fleet_comes_back_from_an_outage_the_same_on_any_number_of_threads() {
    let script = ["--script", "0s up, 60s down 503, 100s up", "--seed", "5"];
    let alone = simulated(&[&script[..], &["--threads", "1"]].concat());
    let together = simulated(&[&script[..], &["--threads", "2"]].concat());
    assert_eq!(result(&alone), result(&together));
    let back = alone.lines().find(|line| line.starts_with("up again at 100 s")).unwrap();
    assert!(!back.contains("not in time") && back.contains("times the mean"), "{back}");
    // What is counted began before the service was up again, and the line says so.
    assert!(back.contains("since 60 s at most "), "{back}");
    assert!(alone.contains("down 503") && alone.contains("100.0%"), "{alone}");
    assert!(alone.lines().last().unwrap().contains("events in"), "{alone}");
    let other = simulated(&["--script", "0s up, 60s down 503, 100s up", "--seed", "6"]);
    assert_ne!(result(&alone), result(&other));
}

#[test]
fn every_mode_and_preset_can_be_simulated_and_drawn() {
    let folder = FlagFile::new("{}");
    let chart = folder.path().replace("flags.json", "chart.svg");
    for (mode, script) in
        [("default", "directive"), ("streaming", "restart"), ("polling", "brownout")]
    {
        let shown = simulated(&["--mode", mode, "--script", script, "--chart", &chart]);
        assert!(shown.contains(mode) && shown.contains("everyone after"), "{shown}");
        let svg = std::fs::read_to_string(&chart).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!(svg.matches("<polyline").count(), 2);
    }
}

#[test]
fn a_chart_replaces_no_file_but_a_chart() {
    let file = FlagFile::new("{}");
    for (path, why) in [
        (&*file.path(), "is no chart"),
        ("/dev/null", "is no chart"),
        ("/no/such/chart.svg", "cannot be written"),
    ] {
        let output = run(&["simulate", "--clients", "1", "--chart", path]);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()));
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
    assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "{}");
}

#[test]
fn a_simulation_goes_on_until_all_have_started() {
    let shown = simulated(&["--script", "0s up", "--ramp", "3600"]);
    assert!(shown.contains("100.0%"), "{shown}");
}

#[test]
fn a_script_that_cannot_be_meant_is_exit_code_2() {
    for (script, why) in [("0s up, 60s dance", "part 2"), ("up", "part 1"), ("", "part 1")] {
        let output = run(&["simulate", "--script", script]);
        let errors = text(&output.stderr);
        assert!(output.status.code() == Some(2) && errors.contains(why), "{errors}");
    }
    assert_eq!(run(&["simulate", "--clients", "0"]).status.code(), Some(2));
}
