import CBenchSystem
import Foundation

/// The resident memory of this process.
enum ProcessMemory {
  /// The resident memory, in bytes.
  static var now: Int { status("VmRSS") }
  /// The most that was resident since the start or the last ``resetPeak()``, in bytes.
  static var peak: Int { status("VmHWM") }

  /// The resident memory that no file backs, in bytes.
  static var anonymous: Int { status("RssAnon") }

  /// Gives freed memory back and makes the peak what is resident now.
  static func resetPeak() {
    bench_release_free_memory()
    // Linux: the number 5 resets the peak (proc(5), clear_refs).
    try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
  }

  private static func status(_ name: String) -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
    let number = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
    return (number ?? 0) * 1024
  }
}
