import Foundation
import Metrics
import Synchronization

/// Metrics of the process as a text, a line for each: name, dimensions and numbers.
///
/// It stands in for a client of a collector. A program installs one of those in its place.
package final class MetricsPage: MetricsFactory {
  private let series = Mutex<[String: Series]>([:])

  package init() {}

  /// All metrics that were measured, by name.
  package var text: String {
    let all = series.withLock { Array($0) }
    return all.sorted { $0.key < $1.key }.compactMap { name, series in
      series.text.map { "\(name) \($0)\n" }
    }.joined()
  }

  private func series(
    _ label: String, _ dimensions: [(String, String)], isDistribution: Bool = false
  ) -> Series {
    let names = dimensions.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
    let key = names.isEmpty ? label : "\(label){\(names)}"
    return series.withLock { series in
      if let known = series[key] { return known }
      let new = Series(isDistribution: isDistribution)
      series[key] = new
      return new
    }
  }

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    series(label, dimensions)
  }
  package func makeFloatingPointCounter(
    label: String, dimensions: [(String, String)]
  ) -> any FloatingPointCounterHandler { series(label, dimensions) }
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    series(label, dimensions)
  }
  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { series(label, dimensions, isDistribution: aggregate) }
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    series(label, dimensions, isDistribution: true)
  }
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}
}

/// The numbers of one name with its dimensions.
///
/// Times are in seconds.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler,
  RecorderHandler, TimerHandler
{
  private struct Numbers {
    var count = 0
    /// The sum of what was recorded, or the value.
    var sum = 0.0
    var greatest = 0.0
  }
  private let numbers = Mutex(Numbers())
  private let isDistribution: Bool

  init(isDistribution: Bool) { self.isDistribution = isDistribution }

  /// The value, or the number, the sum and the greatest of the recorded ones; nil if none was recorded.
  var text: String? {
    let numbers = numbers.withLock { $0 }
    if !isDistribution { return Self.text(numbers.sum) }
    if numbers.count == 0 { return nil }
    return "count=\(numbers.count) sum=\(Self.text(numbers.sum)) max=\(Self.text(numbers.greatest))"
  }

  /// A whole number, or six decimals.
  private static func text(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? String(format: "%.6f", number)
  }

  func increment(by amount: Int64) { increment(by: Double(amount)) }
  func increment(by amount: Double) { numbers.withLock { $0.sum += amount } }
  func decrement(by amount: Double) { increment(by: -amount) }
  func reset() { numbers.withLock { $0 = Numbers() } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { numbers.withLock { $0.sum = value } }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    if !isDistribution { return set(value) }
    numbers.withLock {
      $0.count += 1
      $0.sum += value
      $0.greatest = max($0.greatest, value)
    }
  }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
