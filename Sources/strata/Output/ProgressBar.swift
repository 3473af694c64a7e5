import Foundation

/// Tells on a terminal how far a long command is; silent elsewhere.
struct ProgressBar {
  private let title: String
  private let total: Int?
  private let isShown = isatty(STDERR_FILENO) == 1
  private var lastShown = Date.distantPast

  init(title: String, total: Int? = nil) {
    self.title = title
    self.total = total
  }

  /// Shows a count, at most ten times a second.
  mutating func show(count: Int) {
    guard isShown, Date().timeIntervalSince(lastShown) > 0.1 else { return }
    lastShown = Date()
    var line = "\r\(title): \(count) rows"
    if let total, total > 0 {
      let filled = min(30, count * 30 / total)
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
      line = "\r\(title) [\(bar)] \(min(100, count * 100 / total)) %"
    }
    FileHandle.standardError.write(Data(line.utf8))
  }

  /// Clears the line.
  func finish() {
    guard isShown else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
  }
}
