import Foundation

/// The time of a run, in seconds: of all threads of this process, and of the wall clock.
struct Time: Codable {
  var cpu: Double
  var wall: Double

  static func now() -> Time {
    Time(cpu: read(CLOCK_PROCESS_CPUTIME_ID), wall: read(CLOCK_MONOTONIC))
  }

  /// The time since an earlier one, divided by a number of units.
  func since(_ began: Time, units: Int) -> Time {
    Time(cpu: (cpu - began.cpu) / Double(units), wall: (wall - began.wall) / Double(units))
  }

  private static func read(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension [Double] {
  /// The middle one, of an even number the upper; nil of none.
  var median: Double? { isEmpty ? nil : sorted()[count / 2] }
}

/// A time in the unit that reads best.
func readable(_ seconds: Double) -> String {
  switch seconds {
  case ..<1e-6: String(format: "%.0f ns", seconds * 1e9)
  case ..<1e-3: String(format: "%.1f µs", seconds * 1e6)
  case ..<1: String(format: "%.1f ms", seconds * 1e3)
  default: String(format: "%.2f s", seconds)
  }
}
