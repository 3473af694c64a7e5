import Foundation

/// Bars of ratios to the first contestant, by workload, on a logarithmic scale; what the first has
/// no time for has no bars, and is left out.
struct BarPlot {
  let title: String
  let contestants: [String]
  let groups: [(name: String, ratios: [Double?])]

  init(title: String, contestants: [String], groups: [(name: String, ratios: [Double?])]) {
    self.title = title
    self.contestants = contestants
    self.groups = groups.filter { $0.ratios.contains { $0 != nil } }
  }

  /// The CPU time, or the wall-clock time, of a record.
  init(_ record: Record, clock: KeyPath<Time, Double>, named name: String) {
    self.init(
      title:
        "\(record.mode), \(record.rows) rows: \(name) as a multiple of \(record.contestants.first ?? "")",
      contestants: record.contestants,
      groups: record.lines.map { line in
        let medians = line.medians(clock)
        return (
          line.name,
          medians.map { median in
            guard let median, let base = medians.first ?? nil, base > 0 else { return nil }
            return median / base
          }
        )
      })
  }

  var document: String {
    let bar = 9.0
    let left = 290.0
    let right = 860.0
    let top = 50.0 + 18 * Double((contestants.count + 3) / 4)
    let group = bar * Double(contestants.count) + 10
    let bottom = top + group * Double(groups.count)
    var svg = SVG(width: 960, height: bottom + 40)
    svg.text(title, 20, 26, size: 16)
    for (index, name) in contestants.enumerated() {
      let x = 20 + 220 * Double(index % 4)
      let y = 48 + 18 * Double(index / 4)
      svg.rectangle(x, y - 10, 12, 12, fill: SVG.colour(index))
      svg.text(name, x + 18, y)
    }
    let scale = LogScale(groups.flatMap { $0.ratios.compactMap(\.self) }, from: left, to: right)
    for tick in scale.ticks {
      svg.line(scale.place(tick), top, scale.place(tick), bottom)
      svg.text(
        "\(tick >= 1 ? String(Int(tick)) : String(tick)) ×", scale.place(tick), bottom + 18,
        anchor: .middle)
    }
    svg.line(scale.place(1), top, scale.place(1), bottom, stroke: "#000")
    for (place, entry) in groups.enumerated() {
      let y = top + group * Double(place)
      svg.text(entry.name, left - 10, y + group / 2, anchor: .end)
      for (index, ratio) in entry.ratios.enumerated() {
        guard let ratio else { continue }
        // From the first contestant's line to the left or right.
        let ends = [scale.place(1), scale.place(ratio)].sorted()
        svg.rectangle(
          ends[0], y + bar * Double(index), max(1, ends[1] - ends[0]), bar - 1,
          fill: SVG.colour(index))
      }
    }
    return svg.document
  }
}
