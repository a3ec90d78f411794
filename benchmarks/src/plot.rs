//! Scatter plots on two logarithmic axes, as the papers have them.

use std::io;
use std::path::Path;

use plotters::prelude::*;

/// The smallest time that is told apart, in seconds.
pub const SMALLEST: f64 = 0.001;

/// One run of two methods, in seconds; a time-out counts as the limit.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The method of the x axis.
    pub x: f64,
    /// The method of the y axis.
    pub y: f64,
    /// How many threads there were.
    pub threads: u32,
}

/// Draws the points with the diagonal; colours go with the number of threads.
///
/// # Errors
/// If the file cannot be written.
pub fn scatter(
    file: &Path,
    title: &str,
    names: (&str, &str),
    limit: f64,
    points: &[Point],
) -> io::Result<()> {
    let failed = |error: &dyn std::fmt::Display| io::Error::other(error.to_string());
    let root = SVGBackend::new(file, (640, 640)).into_drawing_area();
    root.fill(&WHITE).map_err(|e| failed(&e))?;
    let range = || (SMALLEST..limit * 1.2).log_scale();
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d(range(), range())
        .map_err(|e| failed(&e))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc(format!("{} [s]", names.0))
        .y_desc(format!("{} [s]", names.1))
        .draw()
        .map_err(|e| failed(&e))?;
    let diagonal = LineSeries::new([(SMALLEST, SMALLEST), (limit, limit)], BLACK.mix(0.5));
    chart.draw_series(diagonal).map_err(|e| failed(&e))?;
    let marks = points.iter().map(|point| {
        let colour = Palette99::pick(point.threads as usize);
        let at = (point.x.clamp(SMALLEST, limit), point.y.clamp(SMALLEST, limit));
        Circle::new(at, 2.5, colour.filled())
    });
    chart.draw_series(marks).map_err(|e| failed(&e))?;
    root.present().map_err(|e| failed(&e))
}
