import MemoryBackend
import ORM
import ORMPlatform
import StoreDoubles
import StoreModels

/// Damages every LMDB file named by a line of the input, and then does all that a store can do; a
/// line for each file says what was found.
///
/// A line is the kind of damage, `sound` or `unsound` as `check()` found the rows, how many rows had
/// other values than were saved or, after a sound check, were not found, and the code of each operation
/// that was refused.
struct StoreDamage {
  /// When a file is damaged.
  private enum Timestamp: String {
    /// After it was closed, by a disk: nothing reports.
    case closed
    /// While a store has it open and has written to it.
    case open
  }

  private let count: Int64
  private let timestamp: Timestamp
  private var generator: SeededGenerator

  /// A run over files that hold the samples 1 to `arguments[0]`, with the timestamp of the damage and
  /// a seed.
  init(_ arguments: [String]) throws {
    guard arguments.count == 3, let count = Int64(arguments[0]),
      let timestamp = Timestamp(rawValue: arguments[1]), let seed = UInt64(arguments[2])
    else { throw StoreError(.invalidCondition, "damage <count> <closed|open> <seed>") }
    self.count = count
    self.timestamp = timestamp
    generator = SeededGenerator(seed: seed)
  }

  mutating func run() throws {
    while let path = readLine() {
      var words: [String] = []
      do {
        if timestamp == .closed {
          words.append(try damage(path))
          try CleanNote.forge(for: path)
        }
        let store = try StoreCommands.open("lmdb:\(path)")
        if timestamp == .open {
          try store.insert(Entry(2_000_000, 1))
          words.append(try damage(path))
        }
        words += exercise(store)
        try? store.close()
      } catch let error as StoreError {
        words += ["refused", "\(error.code)"]
      }
      report(words.joined(separator: " "))
    }
  }

  // MARK: Damage

  private mutating func damage(_ path: String) throws -> String {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw StoreError(.cannotOpen, path) }
    defer { _ = close(file) }
    var facts = stat()
    fstat(file, &facts)
    let pages = Int(facts.st_size) / 4_096
    let page = Int.random(in: 0..<pages, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: return flip(file, page, reach: 32, "header")
    case 1: return flip(file, page, reach: 400, "entries")
    case 2, 3: return flip(file, page, reach: 4_096, "bytes")
    case 4:
      // A sector that was never written, or not as it should be.
      let filling: UInt8 = Bool.random(using: &generator) ? 0 : 0xff
      let sector = [UInt8](repeating: filling, count: 512)
      pwrite(file, sector, 512, off_t(page * 4_096 + .random(in: 0..<8, using: &generator) * 512))
      return "sector"
    default:
      // A page that was written over another.
      var bytes = [UInt8](repeating: 0, count: 4_096)
      pread(file, &bytes, 4_096, off_t(.random(in: 0..<pages, using: &generator) * 4_096))
      if Bool.random(using: &generator) {
        withUnsafeBytes(of: UInt64(page)) { bytes.replaceSubrange(0..<8, with: $0) }
      }
      pwrite(file, bytes, 4_096, off_t(page * 4_096))
      return "misplaced"
    }
  }

  private mutating func flip(
    _ file: Int32, _ page: Int, reach: Int, _ kind: String
  ) -> String {
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = off_t(page * 4_096 + .random(in: 0..<reach, using: &generator))
      var byte: UInt8 = 0
      pread(file, &byte, 1, place)
      byte ^= .random(in: 1...255, using: &generator)
      pwrite(file, &byte, 1, place)
    }
    return kind
  }

  // MARK: Operations

  /// Every operation, whatever became of those before.
  private mutating func exercise(_ store: any Store) -> [String] {
    var wrong = 0
    var codes: [String] = []
    func attempt(_ name: String, _ body: () throws -> Void) {
      let code = StoreCommands.code(body)
      if code != "allowed" { codes.append("\(name):\(code)") }
    }
    var isSound = false
    attempt("check") { isSound = try store.check(decoding: [Entry.self]).isSound }
    for id in stride(from: Int64(1), through: count, by: 7) {
      attempt("find") {
        let row = try store.find(Entry.self, id)
        if row.map({ $0 != .sample(id) }) ?? isSound { wrong += 1 }
      }
    }
    for group in 0...Int(count) / 10 {
      attempt("filter") {
        let rows = try store.fetch(Entry.all.where { $0.group == group })
        wrong += rows.count { $0 != .sample($0.id) }
      }
    }
    attempt("copy") {
      let rows = try store.fetch(Entry.all.where { $0.group < 1_000_000 })
      wrong += rows.count { $0 != .sample($0.id) }
      if isSound { wrong += abs(Int(count) - rows.count { $0.group < 1_000 }) }
      try MemoryStore(schema: StoreModels.schema()).insert(rows)
    }
    let ids = (0..<4).map { _ in Int64.random(in: 1...count, using: &generator) }
    attempt("insert") { try store.insert((0..<30).map { Entry(1_000_000, $0) }) }
    attempt("insert") { try store.insert(Entry(1_000_001, 0)) }
    attempt("update") {
      guard var row = try store.find(Entry.self, ids[0]) else { return }
      row.text = String(repeating: "u", count: 3_000)
      try store.update(row)
    }
    attempt("save") { try store.save(Counter(1, value: 8)) }
    attempt("set") {
      _ = try store.update(Entry.all.where { $0.number == 3 }) { $0[\.group] += 500 }
    }
    attempt("delete") { _ = try store.delete(Entry.self, id: ids[1]) }
    attempt("deleteSet") { _ = try store.delete(Entry.all.where { $0.number > 6 }) }
    attempt("rollback") {
      try store.write { transaction in
        try transaction.delete(Entry.all.where { $0.number == 1 })
        throw StoreError(.denied, "rolled back on purpose")
      }
    }
    attempt("deleteAll") { _ = try store.deleteAll(Entry.self) }
    attempt("insert") { try store.insert((0..<30).map { Entry(1_000_002, $0) }) }
    codes.removeAll { $0 == "rollback:denied" }
    return [isSound ? "sound" : "unsound", "\(wrong)"] + Set(codes).sorted()
  }
}

/// Makes the note beside an LMDB file say that it was closed cleanly as it is now: what a disk does
/// that changes bytes without anybody writing them.
enum CleanNote {
  /// The note is ten words: a magic number, openings, flags, inode, size, two times of two words,
  /// and FNV-1a over those.
  static func forge(for path: String) throws {
    var file = stat()
    guard stat(path, &file) == 0 else { throw StoreError(.cannotOpen, path) }
    var words: [UInt64] = [0x5354_5241_5441_0001, 0, 3, UInt64(file.st_ino), UInt64(file.st_size)]
    #if canImport(Darwin)
      let times = [file.st_mtimespec, file.st_ctimespec]
    #else
      let times = [file.st_mtim, file.st_ctim]
    #endif
    for time in times { words += [UInt64(time.tv_sec), UInt64(time.tv_nsec)] }
    words.append(words.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01b3 })
    let note = open(path + "-guard", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    defer { _ = close(note) }
    guard words.withUnsafeBytes({ pwrite(note, $0.baseAddress, $0.count, 0) }) == 80 else {
      throw StoreError(.inputOutput, path)
    }
  }
}
