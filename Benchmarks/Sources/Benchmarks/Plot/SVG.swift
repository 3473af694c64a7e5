import Foundation

/// A drawing under construction, as text.
struct SVG {
  let width: Double
  let height: Double
  private var parts: [String] = []

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  enum Anchor: String {
    case start, middle, end
  }

  /// The colours of contestants, which read in print and to the colour-blind (Okabe and Ito).
  static let colours = [
    "#000000", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7f7f7f",
    "#b8a800", "#5d3a9b", "#40b0a6", "#994f00",
  ]

  static func colour(_ index: Int) -> String { colours[index % colours.count] }

  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, fill: String
  ) {
    parts.append(
      "<rect x=\"\(n(x))\" y=\"\(n(y))\" width=\"\(n(width))\" height=\"\(n(height))\" "
        + "fill=\"\(fill)\"/>")
  }

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, stroke: String = "#ccc"
  ) {
    parts.append(
      "<line x1=\"\(n(x1))\" y1=\"\(n(y1))\" x2=\"\(n(x2))\" y2=\"\(n(y2))\" stroke=\"\(stroke)\"/>"
    )
  }

  mutating func path(_ points: [(x: Double, y: Double)], stroke: String) {
    let places = points.map { "\(n($0.x)),\(n($0.y))" }.joined(separator: " ")
    parts.append(
      "<polyline points=\"\(places)\" fill=\"none\" stroke=\"\(stroke)\" stroke-width=\"2\"/>")
    for point in points {
      parts.append(
        "<circle cx=\"\(n(point.x))\" cy=\"\(n(point.y))\" r=\"3\" fill=\"\(stroke)\"/>")
    }
  }

  mutating func text(
    _ text: String, _ x: Double, _ y: Double, size: Double = 12, anchor: Anchor = .start
  ) {
    parts.append(
      "<text x=\"\(n(x))\" y=\"\(n(y))\" font-size=\"\(n(size))\" "
        + "text-anchor=\"\(anchor.rawValue)\">\(escaped(text))</text>")
  }

  /// The whole drawing.
  var document: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(n(width))" height="\(n(height))" \
    viewBox="0 0 \(n(width)) \(n(height))" font-family="sans-serif">
    <rect width="100%" height="100%" fill="#fff"/>
    \(parts.joined(separator: "\n"))
    </svg>
    """
  }

  private func n(_ number: Double) -> String { String(format: "%.1f", number) }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
