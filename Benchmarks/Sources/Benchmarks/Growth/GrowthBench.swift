import Foundation
import Workloads

/// Costs against the number of rows: `Benchmarks growth [SIZE ...]`.
///
/// Every size starts with a new file. Inserts go in transactions of 10,000 rows, each durable.
struct GrowthBench {
  let sizes: [Int]
  let contestants: [GrowthContestant]
  let output: Output

  private static let batch = 10_000
  private static let repetitions = 3

  func run() throws {
    var record = GrowthRecord(sizes: sizes, contestants: contestants.map(\.name))
    var text = [
      "| workload, wall | unit | rows | " + record.contestants.joined(separator: " | ") + " |",
      "|---|---|--:|" + contestants.map { _ in "--:|" }.joined(),
    ]
    text.forEach(output.say)
    for size in sizes {
      let found = try contestants.map { try measure($0, size) }
      for point in GrowthPoint.allCases {
        let cells = found.map { $0[point] }
        record.points.append(GrowthRecord.Point(name: point.rawValue, rows: size, times: cells))
        let texts = cells.map { $0.map { readable($0.wall) } ?? "–" }
        let row =
          "| \(point.rawValue) | \(point.unit) | \(size) | " + texts.joined(separator: " | ") + " |"
        output.say(row)
        text.append(row)
      }
      try output.write(record, as: "growth")
      try output.write(text.joined(separator: "\n"), as: "growth.md")
      try output.write(LinePlot.document(record.plots), as: "growth.svg")
    }
  }

  private func measure(_ contestant: GrowthContestant, _ size: Int) throws -> [GrowthPoint: Time] {
    var times: [GrowthPoint: Time] = [:]
    let section = try contestant.open()
    var taken = Time(cpu: 0, wall: 0)
    for first in stride(from: 1, through: size, by: Self.batch) {
      let rows = (first...min(size, first + Self.batch - 1)).map { GrowthData(id: Int64($0)) }
      let began = Time.now()
      try section.insert(rows)
      let took = Time.now().since(began, units: 1)
      taken.cpu += took.cpu
      taken.wall += took.wall
    }
    times[.insert] = Time(cpu: taken.cpu / Double(size), wall: taken.wall / Double(size))
    let keys = (0..<20_000).map { Int64(($0 &* 7919) % size) + 1 }
    times[.find] = try median(units: keys.count) { try section.find(keys) }
    let width = GrowthData.ranks.upperBound / Int64(size) * 100
    let ranges = (0..<100).map { number in
      let first = (GrowthData.ranks.upperBound - width) / 100 * Int64(number)
      return first..<first + width
    }
    times[.range] = try median(units: ranges.count) { try section.range(ranges) }
    times[.top] = try median(units: 200) { try section.top(200) }
    if let whole = section as? any WholeOperations {
      times[.copy] = try once(size) { try whole.copy(to: contestant.copyPath) }
      times[.check] = try once(size) { try whole.check() }
    }
    try contestant.remove()
    times[.imported] = try GrowthImport(contestant: contestant, rows: size).run()
    return times
  }

  /// The median of some runs after a first one.
  private func median(units: Int, _ body: () throws -> Int) throws -> Time {
    _ = try body()
    let times = try (0..<Self.repetitions).map { _ in
      let began = Time.now()
      _ = try body()
      return Time.now().since(began, units: units)
    }
    return times.sorted { $0.wall < $1.wall }[times.count / 2]
  }

  private func once(_ size: Int, _ body: () throws -> Int) throws -> Time {
    let began = Time.now()
    let count = try body()
    guard count == size else { throw Disagreement(description: "\(count) rows of \(size)") }
    return Time.now().since(began, units: size)
  }
}

/// The measurements at each size.
enum GrowthPoint: String, CaseIterable {
  case find = "find by key"
  case range = "index range of 100 rows"
  case top = "top 20 by index"
  case insert = "insert, amortised"
  case copy
  case imported = "import of CSV"
  case check

  var unit: String {
    switch self {
    case .range, .top: "query"
    default: "row"
    }
  }
}
