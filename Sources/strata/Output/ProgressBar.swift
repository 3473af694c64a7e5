#if Command
  import Foundation

  /// The progress of a long command on a terminal; silent elsewhere.
  struct ProgressBar {
    private let title: String
    private var total: Int
    private let isShown = isatty(STDERR_FILENO) == 1
    private var lastShown = ContinuousClock.now - .seconds(1)

    init(title: String, total: Int) {
      self.title = title
      self.total = max(1, total)
    }

    /// Shows how much of the total is done, at most ten times a second.
    mutating func show(count: Int) {
      guard isShown, ContinuousClock.now - lastShown > .milliseconds(100) else { return }
      lastShown = .now
      let line = "\r" + Self.line(title: title, count: count, total: total)
      FileHandle.standardError.write(Data(line.utf8))
    }

    /// Shows how much of a total is done that may have changed.
    mutating func show(count: Int, of total: Int) {
      self.total = max(1, total)
      show(count: count)
    }

    /// `title [###...] 10 %`.
    static func line(title: String, count: Int, total: Int) -> String {
      let done = min(1, Double(count) / Double(total))
      let filled = Int(done * 30)
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
      return "\(title) [\(bar)] \(Int(done * 100)) %"
    }

    /// Clears the line.
    func finish() {
      guard isShown else { return }
      FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
  }
#endif
