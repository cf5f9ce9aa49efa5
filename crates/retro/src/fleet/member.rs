//! A process among others: it shows that it is here, and changes the manifest one at a time.

use std::path::Path;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nutcracker_table::{
    Claim, Heart, Lease, Leases, Manifest, Owner, Pulse, Storage, TableError, Watch,
};

use super::{FLEET_FOLDER, PATIENCE};
use crate::error::SolveError;
use crate::progress::{Progress, Stopped};

/// How the names of the locks begin that only show that a process is here.
const MEMBER: &str = "member-";
/// The lock of the manifest.
const MANIFEST_LOCK: &str = "manifest";
/// How long to wait before another look at what other processes do.
const POLL: Duration = Duration::from_millis(20);
/// The same where that takes long.
const SLOW_POLL: Duration = Duration::from_millis(200);

/// A process of a fleet.
pub(super) struct Member<'a> {
    storage: &'a Arc<dyn Storage>,
    dir: &'a Path,
    leases: Leases,
    watch: Watch,
    terms: String,
    /// Shows that this process is here.
    presence: Option<Lease>,
    _heart: Heart,
}

impl<'a> Member<'a> {
    /// Takes locks of a directory for a moment, without joining.
    pub(super) fn visit(
        storage: &'a Arc<dyn Storage>,
        dir: &'a Path,
        patience: Duration,
    ) -> Result<Self, SolveError> {
        let leases = Leases::new(Arc::clone(storage), dir.join(FLEET_FOLDER), patience)?;
        let heart = leases.keep_beating()?;
        let (watch, terms) = (Watch::default(), String::new());
        Ok(Member { storage, dir, leases, watch, terms, presence: None, _heart: heart })
    }

    /// Joins the processes in a directory. An error if one of them works under other terms.
    pub(super) fn join(
        storage: &'a Arc<dyn Storage>,
        dir: &'a Path,
        patience: Duration,
        terms: &str,
        progress: &dyn Progress,
    ) -> Result<Self, SolveError> {
        let mut member = Member::visit(storage, dir, patience)?;
        terms.clone_into(&mut member.terms);
        member.stay()?;
        // Those who join at the same moment see each other.
        let other = |owner: &Owner| owner.about != terms;
        if let Some(owner) = find_alive(&member.leases, other, progress)? {
            let Member { presence, leases, .. } = member;
            if let Some(presence) = presence {
                presence.remove()?;
            }
            return Err(SolveError::Machine(format!(
                "{owner} works in {} with {}, and this process with {terms}; give all the same, or \
                 use another directory",
                leases.dir().display(),
                owner.about,
            )));
        }
        Ok(member)
    }

    /// Shows that this process is here, again if others thought that it was not.
    pub(super) fn stay(&mut self) -> Result<(), SolveError> {
        if self.presence.as_ref().is_some_and(|presence| !presence.is_lost()) {
            return Ok(());
        }
        let name = format!("{MEMBER}{}", self.leases.process());
        if let Claim::Won(lease) =
            self.leases.claim(&name, &self.terms, &mut self.watch, Instant::now())?
        {
            self.presence = Some(lease);
        }
        Ok(())
    }

    /// Takes a lock if that is possible.
    pub(super) fn claim(&mut self, name: &str, about: &str) -> Result<Claim, SolveError> {
        Ok(self.leases.claim(name, about, &mut self.watch, Instant::now())?)
    }

    /// The folder with locks and work.
    pub(super) fn folder(&self) -> &Path {
        self.leases.dir()
    }

    /// The process that had a lock before is gone, as far as is known.
    pub(super) fn miss(&self, owner: &Owner) -> Result<(), SolveError> {
        Ok(self.leases.clear(&format!("{MEMBER}{}", owner.process))?)
    }

    /// Waits for a moment.
    pub(super) fn rest(&self) {
        sleep(self.leases.every().min(SLOW_POLL));
    }

    /// Changes the manifest, one process at a time, if `change` says that it is to be saved.
    pub(super) fn update_manifest(
        &mut self,
        game: &str,
        options: &str,
        program: &str,
        mut change: impl FnMut(&mut Manifest) -> Result<bool, TableError>,
    ) -> Result<(), SolveError> {
        loop {
            let lease = match self.claim(MANIFEST_LOCK, "")? {
                Claim::Won(lease) => lease,
                Claim::Held(_) => {
                    sleep(POLL.min(self.leases.every()));
                    continue;
                }
            };
            let mut manifest =
                Manifest::load_or_new(&**self.storage, self.dir, game, options, program)?;
            let temporary = self.leases.dir().join(format!("manifest-{}.tmp", lease.word()));
            let saved = !change(&mut manifest)?
                || manifest.save_if(&**self.storage, self.dir, &temporary, || lease.is_held())?;
            if saved {
                return Ok(lease.release()?);
            }
        }
    }

    /// Leaves the directory. The last one removes the folder.
    pub(super) fn leave(mut self) -> Result<(), SolveError> {
        if let Some(presence) = self.presence.take() {
            presence.remove()?;
        }
        for name in self.leases.names(MEMBER)? {
            if let Pulse::Free(_) = self.leases.look(&name, &mut self.watch, Instant::now())? {
                self.leases.clear(&name)?;
            }
        }
        let names = self.leases.names("")?;
        if names.iter().all(|name| name == MANIFEST_LOCK)
            && let Claim::Won(lease) = self.claim(MANIFEST_LOCK, "")?
        {
            lease.remove()?;
            let left = self.storage.list(self.leases.dir()).unwrap_or_default();
            if left.is_empty() {
                let _ = self.storage.remove_dir(self.leases.dir());
            }
        }
        Ok(())
    }
}

/// Looks for a process in the fleet that is alive and such as `wanted` says. What is silent for too
/// long is removed.
fn find_alive(
    leases: &Leases,
    wanted: impl Fn(&Owner) -> bool,
    progress: &dyn Progress,
) -> Result<Option<Owner>, SolveError> {
    let mut watch = Watch::default();
    let mut said = false;
    let own = format!("{MEMBER}{}", leases.process());
    loop {
        let mut doubtful = false;
        for name in leases.names(MEMBER)?.into_iter().filter(|name| *name != own) {
            match leases.look(&name, &mut watch, Instant::now())? {
                Pulse::Beating(Some(owner)) if wanted(&owner) => return Ok(Some(owner)),
                Pulse::Watched(owner) => doubtful |= owner.is_none_or(|owner| wanted(&owner)),
                Pulse::Silent(_) | Pulse::Free(_) => leases.clear(&name)?,
                Pulse::Beating(_) | Pulse::Unknown => {}
            }
        }
        if !doubtful {
            return Ok(None);
        }
        if progress.must_stop() {
            return Err(Stopped.into());
        }
        if !std::mem::replace(&mut said, true) {
            progress.note("looking whether another process works in this directory");
        }
        sleep(leases.every().min(SLOW_POLL));
    }
}

/// An error if a fleet works in a directory. What is left of one is removed.
pub(crate) fn expect_none(
    storage: &Arc<dyn Storage>,
    dir: &Path,
    progress: &dyn Progress,
) -> Result<(), SolveError> {
    let folder = dir.join(FLEET_FOLDER);
    if storage.list(&folder).unwrap_or_default().is_empty() {
        return Ok(());
    }
    let leases = Leases::new(Arc::clone(storage), &folder, PATIENCE)?;
    if let Some(owner) = find_alive(&leases, |_| true, progress)? {
        let who = format!(" ({owner})");
        return Err(TableError::Fleet { dir: dir.to_owned(), who }.into());
    }
    // Work that was left is done again.
    let _ = storage.remove_dir(&folder);
    Ok(())
}
