//! Running pipelines, and watching them run.

use std::time::{Duration, Instant};

use sapa_ir::goto::Module;
use sapa_limits::{Limits, Phase};

use crate::analysis::Analyses;
use crate::error::PassError;
use crate::pass::Context;
use crate::pipeline::{Pipeline, Step};

/// What happened in a step.
#[derive(Debug)]
pub struct Event<'e> {
    /// Position of the step in the pipeline, from 0.
    pub index: usize,
    /// The step.
    pub step: &'e Step,
    /// Whether it changed the module.
    pub changed: bool,
    /// What it reported.
    pub report: &'e str,
    /// How long it took.
    pub time: Duration,
    /// What the run may use.
    pub limits: &'e Limits,
}

/// Watches a pipeline run. Printing, timing, verifying and bisecting are observers.
pub trait Observer {
    /// Whether to run this step; steps that are not run leave the module alone.
    fn admits(&mut self, index: usize, step: &Step) -> bool {
        let _ = (index, step);
        true
    }

    /// Before a step.
    fn before(&mut self, index: usize, step: &Step, module: &Module) {
        let _ = (index, step, module);
    }

    /// After a step.
    ///
    /// # Errors
    /// To stop the run.
    fn after(&mut self, event: &Event<'_>, module: &Module) -> Result<(), PassError> {
        let _ = (event, module);
        Ok(())
    }
}

impl Pipeline {
    /// Runs the steps in order, without limits.
    ///
    /// # Errors
    /// As [`run_within`](Self::run_within).
    pub fn run(
        &self,
        module: &mut Module,
        observers: &mut [&mut dyn Observer],
    ) -> Result<(), PassError> {
        self.run_within(module, observers, &Limits::default())
    }

    /// Runs the steps in order, as long as the limits hold.
    ///
    /// # Errors
    /// The first pass that fails, or observer that objects, ends the run; the
    /// module is then as far as it came.
    pub fn run_within(
        &self,
        module: &mut Module,
        observers: &mut [&mut dyn Observer],
        limits: &Limits,
    ) -> Result<(), PassError> {
        let mut analyses = Analyses::new(limits);
        for (index, step) in self.steps.iter().enumerate() {
            let mut admitted = true;
            for observer in observers.iter_mut() {
                // Every observer is asked, so that each can count.
                admitted &= observer.admits(index, step);
            }
            if !admitted {
                continue;
            }
            observers.iter_mut().for_each(|o| o.before(index, step, module));
            let _phase = limits.enter(Phase::Pass(step.pass.name));
            limits.check()?;
            let mut report = String::new();
            let start = Instant::now();
            let mut context = Context {
                options: &step.options,
                analyses: &mut analyses,
                report: &mut report,
                limits,
            };
            let changed = step.pass.run(module, &mut context)?;
            // A pass may end early without an error where its analyses did.
            limits.check()?;
            let time = start.elapsed();
            let event = Event { index, step, changed, report: &report, time, limits };
            for observer in observers.iter_mut() {
                observer.after(&event, module)?;
            }
        }
        Ok(())
    }
}
