import ORM
import StoreModels

/// Opens every file named by a line of the input, reads all it can in several ways, and writes; what
/// was found is a line for each.
///
/// A line is `refused <code>`, or `opened <right> <missing> <wrong> <scan> <write> <codes>`: how many
/// rows were found by key as they were saved, how many not at all and how many with other values;
/// how a fetch of all rows and a write ended; and with what codes rows and groups were refused.
struct StoreProbe {
  private let scheme: String
  private let count: Int64
  private var options = StoreOptions()

  /// A probe of files that hold the samples 1 to `arguments[0]`, verified as `arguments[1]` says.
  init(scheme: String, _ arguments: [String]) {
    self.scheme = scheme
    count = arguments.first.flatMap { Int64($0) } ?? 0
    if arguments.count > 1, let verification = StoreOptions.Verification(rawValue: arguments[1]) {
      options.verification = verification
    }
    if arguments.count > 2 { options.isReadOnly = arguments[2] == "readOnly" }
  }

  func run() throws {
    while let path = readLine() {
      do {
        let store = try StoreCommands.open("\(scheme):\(path)", options)
        report(probe(store))
        try? store.close()
      } catch let error as StoreError {
        report("refused", error.code)
      }
    }
  }

  private func probe(_ store: any Store) -> String {
    var (right, missing, wrong) = (0, 0, 0)
    var codes: Set<String> = []
    for id in 1...count {
      let code = StoreCommands.code {
        switch try store.find(Entry.self, id) {
        case nil: missing += 1
        case .some(let row): if row == .sample(id) { right += 1 } else { wrong += 1 }
        }
      }
      if code != "allowed" { codes.insert(code) }
    }
    for group in 0...Int(count) / 10 {
      let code = StoreCommands.code {
        let rows = try store.fetch(Entry.all.where { $0.group == group })
        wrong += rows.count { $0 != .sample($0.id) }
      }
      if code != "allowed" { codes.insert(code) }
    }
    var scan = "differs"
    let scanCode = StoreCommands.code {
      let rows = try store.fetch(Entry.all)
      wrong += rows.count { $0 != .sample($0.id) }
      if rows == (1...count).map(Entry.sample) { scan = "whole" }
    }
    if scanCode != "allowed" { scan = scanCode }
    let isSound = (try? store.check().isSound) ?? false
    let write = StoreCommands.code {
      try store.write { transaction in
        try transaction.delete(Entry.all.where { $0.number == 3 })
        for place in 0..<20 { try transaction.insert(Entry(1_000_000, place)) }
      }
      try store.deleteAll(Entry.self)
    }
    let all = codes.isEmpty ? "-" : codes.sorted().joined(separator: "+")
    let check = isSound ? "sound" : "unsound"
    return "opened \(right) \(missing) \(wrong) \(scan) \(write) \(all) \(check)"
  }
}
