//! Boolean broadcast programs.
