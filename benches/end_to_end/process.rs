//! What a process takes, as /proc tells it.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// The kernel shows times to programs in hundredths of a second, on every platform.
const TICK: Duration = Duration::from_millis(10);
/// Between looks at a process: peaks that are shorter are not seen, though the kernel keeps the highest.
const LOOK: Duration = Duration::from_millis(20);

/// Memory in KiB.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Memory {
    /// The most since the start, or since the last [`forget_peak`].
    pub(crate) peak_kib: u64,
    pub(crate) resident_kib: u64,
}

/// CPU time of user and kernel, while the process runs or until it is waited for.
pub(crate) fn cpu(pid: u32) -> Duration {
    ticks(pid, 2)
}

/// CPU time of this process and of its children that have ended.
pub(crate) fn own_cpu() -> Duration {
    ticks(std::process::id(), 4)
}

/// The sum of the first so many times that /proc tells: user, kernel, and both of children.
fn ticks(pid: u32, times: usize) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: u32 = fields.skip(11).take(times).filter_map(|time| time.parse::<u32>().ok()).sum();
    TICK * ticks
}

/// CPU time of everything on this machine, idle time aside.
pub(crate) fn machine_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    let times = stat.lines().next().unwrap_or_default().split_whitespace().skip(1);
    // User, nice, system, idle, waiting, interrupts of two kinds, stolen; guests are in the first two.
    let busy = times.take(8).enumerate().filter(|(index, _)| ![3, 4].contains(index));
    TICK * busy.filter_map(|(_, time)| time.parse::<u32>().ok()).sum::<u32>()
}

/// Memory of a running process.
pub(crate) fn memory(pid: u32) -> Option<Memory> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    };
    Some(Memory { peak_kib: field("VmHWM:")?, resident_kib: field("VmRSS:")? })
}

/// Lets the peak begin anew; where that is not allowed it stays the highest since the start.
pub(crate) fn forget_peak(pid: u32) {
    drop(std::fs::write(format!("/proc/{pid}/clear_refs"), "5"));
}

fn has_ended(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}

/// A process that stands still while this lives.
pub(crate) struct Frozen(u32);

impl Frozen {
    pub(crate) fn new(pid: u32) -> anyhow::Result<Self> {
        signal(pid, "STOP")?;
        Ok(Self(pid))
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        drop(signal(self.0, "CONT"));
    }
}

fn signal(pid: u32, name: &str) -> anyhow::Result<()> {
    let status = Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).status();
    if !status.context("running kill")?.success() {
        bail!("process {pid} takes no SIG{name}");
    }
    Ok(())
}

/// A program that was started here.
pub(crate) struct Program {
    child: Child,
    memory: Memory,
    pub(crate) started: Instant,
}

/// How a program ended.
pub(crate) struct Ended {
    pub(crate) well: bool,
    pub(crate) code: Option<i32>,
    pub(crate) took: Duration,
    pub(crate) cpu: Duration,
    pub(crate) peak_kib: u64,
}

impl Program {
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let started = Instant::now();
        let child = command.spawn().with_context(|| format!("starting {command:?}"))?;
        Ok(Self { child, memory: Memory::default(), started })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Looks at it; whether it still runs.
    pub(crate) fn look(&mut self) -> bool {
        if let Some(memory) = memory(self.pid()) {
            self.memory = memory;
        }
        !has_ended(self.pid())
    }

    /// Waits for its end, and looks at it meanwhile.
    pub(crate) fn ended(mut self) -> anyhow::Result<Ended> {
        let mut looks = 0_u32;
        while self.look() {
            // A short program is looked at more often: its end is seen within a millisecond.
            looks = looks.saturating_add(1);
            std::thread::sleep(LOOK.min(Duration::from_millis(u64::from(looks / 100 + 1))));
        }
        let took = self.started.elapsed();
        let cpu = cpu(self.pid());
        let status = self.child.wait()?;
        let peak_kib = self.memory.peak_kib;
        Ok(Ended { well: status.success(), code: status.code(), took, cpu, peak_kib })
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(self) -> anyhow::Result<Ended> {
        signal(self.pid(), "TERM")?;
        self.ended()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}
