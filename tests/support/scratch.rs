use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A folder of one test; it stays when the test failed.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder under cargo's own for tests.
    pub(crate) fn new(name: &str) -> Self {
        let unique =
            format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
        if path.exists() {
            std::fs::remove_dir_all(&path).unwrap();
        }
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The folder, or a place in it.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        if inside.is_empty() { self.0.clone() } else { self.0.join(inside) }
    }

    /// Writes a file into it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("kept for a look: {}", self.0.display());
        } else {
            let _best_effort = std::fs::remove_dir_all(&self.0);
        }
    }
}
