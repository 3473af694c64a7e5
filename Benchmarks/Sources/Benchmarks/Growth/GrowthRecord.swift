import Foundation

/// The measurements of the growth mode.
struct GrowthRecord: Codable {
  var mode = "growth"
  var date = Date()
  var machine = Record.Machine()
  var sizes: [Int]
  var contestants: [String]
  var points: [Point] = []

  init(sizes: [Int], contestants: [String]) {
    self.sizes = sizes
    self.contestants = contestants
  }

  struct Point: Codable {
    var name: String
    var rows: Int
    /// Seconds a unit by contestant.
    var times: [Time?]
  }

  /// A plot of each workload, the wall-clock time against the number of rows.
  var plots: [LinePlot] {
    GrowthPoint.allCases.compactMap { point in
      let lines = contestants.indices.map { index in
        let points = self.points.filter { $0.name == point.rawValue }.compactMap { entry in
          entry.times[index].map { (x: Double(entry.rows), y: $0.wall) }
        }
        return (name: contestants[index], points: points)
      }
      guard lines.contains(where: { !$0.points.isEmpty }) else { return nil }
      return LinePlot(
        title: "\(point.rawValue), a \(point.unit)", across: "rows", up: readable, lines: lines)
    }
  }
}
