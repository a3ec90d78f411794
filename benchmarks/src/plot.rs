//! Plots as the papers have them, on logarithmic axes.

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

/// The times of a program, by number of threads.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The program.
    pub name: String,
    /// Threads and seconds, by threads.
    pub points: Vec<(f64, f64)>,
}

/// Draws time over threads.
///
/// # Errors
/// If the file cannot be written.
pub fn curves(file: &Path, title: &str, limit: f64, curves: &[Curve]) -> io::Result<()> {
    let failed = |error: &dyn std::fmt::Display| io::Error::other(error.to_string());
    let most = curves.iter().flat_map(|c| &c.points).map(|(n, _)| *n).fold(2.0, f64::max);
    let root = SVGBackend::new(file, (860, 560)).into_drawing_area();
    root.fill(&WHITE).map_err(|e| failed(&e))?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(56)
        .build_cartesian_2d((1.0..most * 1.1).log_scale(), (SMALLEST..limit * 1.2).log_scale())
        .map_err(|e| failed(&e))?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("threads")
        .y_desc("seconds")
        .draw()
        .map_err(|e| failed(&e))?;
    for (number, curve) in curves.iter().enumerate() {
        let colour = Palette99::pick(number).to_rgba();
        let points = curve.points.iter().map(|&(n, time)| (n, time.clamp(SMALLEST, limit)));
        chart
            .draw_series(LineSeries::new(points, colour))
            .map_err(|e| failed(&e))?
            .label(curve.name.clone())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .draw()
        .map_err(|e| failed(&e))?;
    root.present().map_err(|e| failed(&e))
}
