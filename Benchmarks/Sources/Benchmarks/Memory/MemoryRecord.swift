import Foundation

/// The measurements of the memory mode.
struct MemoryRecord: Codable {
  var mode = "memory"
  var date = Date()
  var machine = Record.Machine()
  var rows: Int
  var stores: [String]
  /// By store, figures by their names.
  var figures: [[String: Int]] = []

  init(rows: Int, stores: [String]) {
    self.rows = rows
    self.stores = stores
  }

  enum Figure: String, CaseIterable {
    /// The growth of the process since before the first row, without files.
    case held
    /// Keys and records as they are encoded.
    case encoded
    /// The most over what was there before, while all rows were streamed.
    case streaming, streamingWithFiles
    /// CPU time of a streamed row.
    case nanoseconds
  }

  var table: [String] {
    func line(_ name: String, _ cell: (Int) -> String?) -> String {
      "| \(name) | " + stores.indices.map { cell($0) ?? "–" }.joined(separator: " | ") + " |"
    }
    func figure(_ store: Int, _ figure: Figure) -> Int? { figures[store][figure.rawValue] }
    func mebibytes(_ bytes: Int) -> String { String(format: "%.1f MiB", Double(bytes) / 1_048_576) }
    func perRow(_ bytes: Int) -> String {
      String(format: "%.1f bytes", Double(bytes) / Double(rows))
    }
    return [
      "| \(rows) rows | " + stores.joined(separator: " | ") + " |",
      "|---|" + stores.map { _ in "--:|" }.joined(),
      line("streaming all, most over the start, without files' pages") {
        figure($0, .streaming).map(mebibytes)
      },
      line("streaming all, most over the start, with files' pages") {
        figure($0, .streamingWithFiles).map(mebibytes)
      },
      line("streaming, CPU a row") { figure($0, .nanoseconds).map { "\($0) ns" } },
      line("a row in memory") { figure($0, .held).map(perRow) },
      line("its key and record as encoded") { figure($0, .encoded).map(perRow) },
      line("allowed: 1.5 × encoded + 64") { store in
        figure(store, .encoded).map {
          String(format: "%.1f bytes", 1.5 * Double($0) / Double(rows) + 64)
        }
      },
    ]
  }
}
