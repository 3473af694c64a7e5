import Foundation

/// Places numbers above zero on a stretch of a drawing, by their logarithms.
struct LogScale {
  let bounds: ClosedRange<Double>
  let from: Double
  let to: Double

  /// A scale over the powers of ten around the numbers.
  init(_ numbers: [Double], from: Double, to: Double) {
    let numbers = numbers.filter { $0 > 0 && $0.isFinite }
    let low = floor(log10(numbers.min() ?? 1))
    let high = ceil(log10(numbers.max() ?? 10))
    bounds = low...max(high, low + 1)
    self.from = from
    self.to = to
  }

  func place(_ number: Double) -> Double {
    let part =
      (log10(max(number, .leastNormalMagnitude)) - bounds.lowerBound)
      / (bounds.upperBound - bounds.lowerBound)
    return from + (to - from) * min(max(part, 0), 1)
  }

  /// The powers of ten in it.
  var ticks: [Double] {
    stride(from: bounds.lowerBound, through: bounds.upperBound, by: 1).map { pow(10, $0) }
  }
}
