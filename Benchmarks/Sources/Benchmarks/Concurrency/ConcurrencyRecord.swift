import Foundation

/// The measurements of the concurrency mode.
struct ConcurrencyRecord: Codable {
  var mode = "concurrency"
  var date = Date()
  var machine = Record.Machine()
  var rows: Int
  var repetitions: Int
  var contestants: [String]
  /// The counts a second, by contestant and repetition.
  var runs: [[[Figure: Double]]]

  enum Figure: String, Codable, CodingKeyRepresentable {
    case oneReader, twoReaders, readerBesideWriter, writerAlone, writerBesideReader
    case singleCommits, taskCommits
  }

  private func median(_ figure: Figure, _ contestant: Int) -> Double? {
    runs[contestant].compactMap { $0[figure] }.median
  }

  /// The median of the ratios within each repetition, which noise from outside moves less.
  private func ratio(_ figure: Figure, to base: Figure, _ contestant: Int) -> Double? {
    runs[contestant].compactMap { run in
      guard let value = run[figure], let base = run[base], base > 0 else { return nil }
      return value / base
    }.median
  }

  private static let figures: [(name: String, figure: Figure)] = [
    ("finds a second, one reader", .oneReader),
    ("batches of 100 written a second", .writerAlone),
    ("single durable commits a second", .singleCommits),
    ("durable saves a second of 64 tasks", .taskCommits),
  ]

  private static let ratios: [(name: String, figure: Figure, base: Figure)] = [
    ("two readers, × one", .twoReaders, .oneReader),
    ("a reader beside a writer, × alone", .readerBesideWriter, .oneReader),
    ("a writer beside a reader, × alone", .writerBesideReader, .writerAlone),
    ("64 tasks, × single commits", .taskCommits, .singleCommits),
  ]

  var table: [String] {
    func line(_ name: String, _ cells: [Double?], _ form: String) -> String {
      let texts = cells.map { $0.map { String(format: form, $0) } ?? "–" }
      return "| \(name) | " + texts.joined(separator: " | ") + " |"
    }
    return [
      "| \(rows) rows, wall-clock time | " + contestants.joined(separator: " | ") + " |",
      "|---|" + contestants.map { _ in "--:|" }.joined(),
    ]
      + Self.figures.map { name, figure in
        line(name, contestants.indices.map { median(figure, $0) }, "%.0f")
      }
      + Self.ratios.map { name, figure, base in
        line(name, contestants.indices.map { ratio(figure, to: base, $0) }, "%.2f ×")
      }
  }

  var plot: BarPlot {
    BarPlot(
      title: "Concurrency, \(rows) rows", contestants: contestants,
      groups: Self.ratios.map { name, figure, base in
        (name, contestants.indices.map { ratio(figure, to: base, $0) })
      })
  }
}
