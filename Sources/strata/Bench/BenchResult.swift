#if Command
  import Foundation

  /// The measured times of a benchmark step.
  struct BenchResult: Codable {
    var name: String
    var unit: String
    var units: Int
    /// Seconds a unit, medians: of all threads of this process, and of the wall clock.
    var cpu: Double
    var wall: Double
    /// The requests of one run of the step; nil unless they were counted.
    var counts: BenchCounts?

    /// The results as aligned columns, a heading first.
    static func table(_ results: [BenchResult]) -> String {
      let isCounted = results.contains { $0.counts != nil }
      var lines = [["", "a", "CPU", "wall"] + (isCounted ? BenchCounts.titles : [])]
      for result in results {
        lines.append(
          [result.name, result.unit, readable(result.cpu), readable(result.wall)]
            + (result.counts?.texts ?? []))
      }
      let widths = lines[0].indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
      return lines.map { line in
        line.enumerated().map { column, text in
          let space = String(repeating: " ", count: widths[column] - text.count)
          return column < 2 ? text + space : space + text
        }.joined(separator: "  ")
      }.joined(separator: "\n")
    }

    /// A time in the unit that reads best.
    private static func readable(_ seconds: Double) -> String {
      switch seconds {
      case ..<1e-6: String(format: "%.0f ns", seconds * 1e9)
      case ..<1e-3: String(format: "%.1f µs", seconds * 1e6)
      default: String(format: "%.1f ms", seconds * 1e3)
      }
    }
  }
#endif
