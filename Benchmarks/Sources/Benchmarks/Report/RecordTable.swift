import Foundation

/// The Markdown table of a record: the first contestant's medians as they are, the others' as
/// ratios to it; those after raw LMDB, or the plain arrays, as ratios to these as well.
struct RecordTable {
  let record: Record

  var heading: [String] {
    [
      "| workload | unit | clock | " + record.contestants.joined(separator: " | ") + " |",
      "|---|---|---|" + record.contestants.map { _ in "--:|" }.joined(),
    ]
  }

  /// The rows of one workload, one a clock, and one of memory where it was measured.
  func rows(_ line: Record.Line) -> [String] {
    var rows = [("CPU", \Time.cpu), ("wall", \Time.wall)].map { clock, path in
      row(line, clock, cells(line.medians(path)))
    }
    if line.peaks.contains(where: { $0 != nil }) {
      rows.append(
        row(
          line, "peak",
          line.peaks.map { $0.map { String(format: "%.1f MiB", Double($0) / 1_048_576) } ?? "–" }))
    }
    return rows
  }

  private func row(_ line: Record.Line, _ clock: String, _ cells: [String]) -> String {
    "| \(line.name) | \(line.unit) | \(clock) | " + cells.joined(separator: " | ") + " |"
  }

  private func cells(_ medians: [Double?]) -> [String] {
    zip(record.contestants, medians).enumerated().map { index, entry in
      let (name, median) = entry
      guard let median else { return "–" }
      guard index > 0, let base = medians[0] else { return readable(median) }
      var cell = String(format: "%.2f ×", median / base)
      for (peer, short, ours) in Self.second where ours == name {
        if let place = record.contestants.firstIndex(of: peer), let other = medians[place] {
          cell += String(format: " (%.2f × ", median / other) + short + ")"
        }
      }
      return cell
    }
  }

  /// Whom a contestant is compared with beside the first.
  private static let second = [
    ("raw LMDB", "LMDB", "Strata LMDB"), ("raw LMDB", "LMDB", "Strata memory"),
    ("plain", "plain", "Strata memory"),
  ]
}
