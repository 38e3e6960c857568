use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use crate::bench::Bench;
use crate::machine;
use crate::targets::Target;

/// The report in Markdown, with its charts beside it.
pub(crate) struct Report {
    text: String,
    targets: Vec<Vec<String>>,
    out: PathBuf,
    about: Vec<String>,
    runs: usize,
}

/// Says on standard error what goes on.
pub(crate) fn note(text: &str) {
    // Nobody may be listening.
    drop(writeln!(std::io::stderr(), "{text}"));
}

impl Report {
    pub(crate) fn new(bench: &Bench) -> anyhow::Result<Self> {
        let out = bench.options.out.clone();
        std::fs::create_dir_all(&out)?;
        Ok(Self {
            text: String::new(),
            targets: Vec::new(),
            out,
            about: Vec::new(),
            runs: bench.options.runs,
        })
    }

    /// Tells of versions and machine.
    pub(crate) fn about(&mut self, bench: &mut Bench) -> anyhow::Result<()> {
        self.about = machine::describe(bench)?;
        Ok(())
    }

    pub(crate) fn heading(&mut self, title: &str) {
        self.line(&format!("## {title}\n"));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.line(&format!("{text}\n"));
    }

    /// Something that did not go as it should.
    pub(crate) fn remark(&mut self, text: &str) {
        note(text);
        self.line(&format!("> {}\n", text.replace('\n', " ")));
    }

    pub(crate) fn table(&mut self, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        self.line(&table(head, rows));
    }

    /// Says beside a target what was measured, if it was.
    pub(crate) fn target(&mut self, target: &Target, measured: Option<f64>) {
        self.targets.extend(measured.map(|measured| target.row(measured)));
    }

    /// Writes a chart and shows it.
    pub(crate) fn chart(&mut self, file: &str, alt: &str, svg: &str) -> anyhow::Result<()> {
        std::fs::write(self.out.join(file), svg)?;
        self.line(&format!("![{alt}]({file})\n"));
        Ok(())
    }

    fn line(&mut self, line: &str) {
        let _infallible = writeln!(self.text, "{line}");
    }

    fn whole(&self) -> String {
        let mut whole = String::from("# outflow beside Debezium\n\n");
        for line in &self.about {
            let _infallible = writeln!(whole, "- {line}");
        }
        let command: Vec<_> =
            std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
        let command = command.join(" ");
        let _infallible = writeln!(whole, "- `cargo bench --bench end_to_end -- {command}`");
        let _infallible =
            writeln!(whole, "- median [least … greatest] of {} alternating runs\n", self.runs);
        if !self.targets.is_empty() {
            let head = ["", "measured", "target", "reached"];
            let rows = table(&head, self.targets.iter().cloned());
            let _infallible = writeln!(whole, "## Targets\n\n{rows}");
        }
        whole + &self.text
    }

    /// Writes what there is.
    pub(crate) fn write(&self) -> anyhow::Result<()> {
        Ok(std::fs::write(self.out.join("report.md"), self.whole())?)
    }

    /// Prints it.
    pub(crate) fn print(&self) -> anyhow::Result<()> {
        Ok(writeln!(std::io::stdout(), "{}", self.whole())?)
    }
}

fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = format!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(head.len()));
    for row in rows {
        let _infallible = writeln!(table, "| {} |", row.join(" | "));
    }
    table
}
