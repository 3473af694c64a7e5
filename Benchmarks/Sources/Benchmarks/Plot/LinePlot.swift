import Foundation

/// Lines on two logarithmic scales: a number of rows, and what a unit took.
struct LinePlot {
  let title: String
  let across: String
  let up: (Double) -> String
  var lines: [(name: String, points: [(x: Double, y: Double)])]

  static let height = 340.0
  static let width = 460.0

  /// Draws it with its corner at a place.
  func draw(in svg: inout SVG, x: Double, y: Double) {
    let left = x + 70
    let right = x + Self.width - 130
    let top = y + 40
    let bottom = y + Self.height - 50
    let points = lines.flatMap(\.points)
    let horizontal = LogScale(points.map(\.x), from: left, to: right)
    let vertical = LogScale(points.map(\.y), from: bottom, to: top)
    svg.text(title, x + 20, y + 24, size: 14)
    svg.text(across, (left + right) / 2, bottom + 38, anchor: .middle)
    for tick in horizontal.ticks {
      svg.line(horizontal.place(tick), top, horizontal.place(tick), bottom)
      svg.text(Self.count(tick), horizontal.place(tick), bottom + 18, anchor: .middle)
    }
    for tick in vertical.ticks {
      svg.line(left, vertical.place(tick), right, vertical.place(tick))
      svg.text(up(tick), left - 6, vertical.place(tick) + 4, anchor: .end)
    }
    for (index, line) in lines.enumerated() {
      let places = line.points.sorted { $0.x < $1.x }
        .map { (horizontal.place($0.x), vertical.place($0.y)) }
      svg.path(places, stroke: SVG.colour(index))
      svg.rectangle(right + 12, top + 18 * Double(index), 12, 12, fill: SVG.colour(index))
      svg.text(line.name, right + 30, top + 10 + 18 * Double(index))
    }
  }

  /// Several, two abreast.
  static func document(_ plots: [LinePlot]) -> String {
    let rows = (plots.count + 1) / 2
    var svg = SVG(width: width * 2, height: height * Double(rows))
    for (index, plot) in plots.enumerated() {
      plot.draw(in: &svg, x: width * Double(index % 2), y: height * Double(index / 2))
    }
    return svg.document
  }

  private static func count(_ number: Double) -> String {
    switch number {
    case 1e6...: "\(Int(number / 1e6)) M"
    case 1e3...: "\(Int(number / 1e3)) k"
    default: "\(Int(number))"
    }
  }
}
