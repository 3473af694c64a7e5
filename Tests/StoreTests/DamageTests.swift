import Foundation
import ORM
import ORMCore
import StoreModels
import TestSupport
import Testing

/// Files that are not ours, newer, cut off or damaged, opened by another process, which a signal
/// would end: clause 7.3.
@Suite struct DamageTests {
  private let folder: TestFolder
  /// The number of rows in the files of these tests.
  private let count: Int64 = 60

  init() throws { folder = TestFolder(inMemory: true) }

  // MARK: Files of others

  @Test(
    "A file that never was a store is not a database and is left as it was, however it is opened",
    arguments: FileStore.allCases)
  func foreignFiles(_ kind: FileStore) throws {
    var generator = SeededGenerator.printed("foreignFiles")
    var files = [
      "empty": Data(), "a byte": Data([0]), "text": Data("text".utf8),
      "zeros": Data(count: 20_000), "ones": Data(repeating: 0xff, count: 20_000),
      "noise": Data((0..<50_000).map { _ in UInt8.random(in: 0...255, using: &generator) }),
      "foreign LMDB": try foreignLMDB(),
    ]
    for other in FileStore.allCases where other != kind && !(other.isSQLite && kind.isSQLite) {
      files[other.rawValue] = try other.makeSamples(5, at: folder.file(other.rawValue + "-other"))
    }
    if SQLiteCommand.isPossible {
      let path = folder.file("foreign.sqlite")
      try SQLiteCommand.run(
        "CREATE TABLE Entry (id INTEGER PRIMARY KEY); PRAGMA user_version=1", path)
      files["foreign SQLite"] = try bytes(path)
    }
    for (name, content) in files {
      let place = TestFolder(inMemory: true)
      let path = try place.write(content, "store")
      for verification in ["never", "afterUncleanClose", "always"] {
        for access in ["write", "readOnly"] {
          let lines = try probe(kind, [path], verification, access).lines
          #expect(lines == ["refused notADatabase"], "\(name), \(verification), \(access)")
        }
      }
      #expect(try bytes(path) == content, "\(name)")
      let beside = try FileManager.default.contentsOfDirectory(atPath: place.path)
      #expect(beside == ["store"], "\(name)")
    }
  }

  private func foreignLMDB() throws -> Data {
    let path = folder.file("foreign.lmdb")
    let helper = try HelperProcess.store(["foreign", path])
    #expect(helper.lines() == ["ok"])
    return try bytes(path)
  }

  @Test("A newer format is too new and left as it was", arguments: FileStore.allCases)
  func newerFormats(_ kind: FileStore) throws {
    var content = try kind.makeSamples(5, at: folder.file("sound"))
    switch kind {
    // The user version, big-endian, is the layout's.
    case .sqlite, .checksums: content[63] = 3
    // The version follows the magic number in each of the two first pages.
    case .lmdb: for page in [0, 4_096] { content[page + 20] = 2 }
    case .memory: return  // The header has a checksum: the tests of the image make one.
    }
    let path = try folder.write(content, "newer")
    // The format of the library's pages is not ours.
    let code = kind == .lmdb ? "unsupportedVersion" : "schemaTooNew"
    for access in ["write", "readOnly"] {
      #expect(try probe(kind, [path], "always", access).lines == ["refused \(code)"])
    }
    #expect(try bytes(path) == content)
  }

  // MARK: Damage

  @Test("A file cut off anywhere is refused and left as it was", arguments: FileStore.allCases)
  func truncated(_ kind: FileStore) throws {
    let content = try kind.makeSamples(count, at: folder.file("sound"))
    let pages = stride(from: 0, to: content.count, by: 4_096)
    let sizes = Array(0...4) + [99, 100, 151, 152, 4_095, 4_097] + pages + pages.map { $0 + 777 }
    let files = sizes.filter { $0 < content.count }
      .map { (note: "cut at \($0)", content: content.prefix($0)) }
    let found = try outcomes(kind, files)
    // The last pages of an LMDB file may be free, and then nothing is lacking.
    #expect(found.refused >= files.count * 3 / 4, "\(found)")
    #expect(found.wrong == 0 && found.missing == 0, "\(found)")
    print("\(kind) cut:", found)
  }

  @Test(
    "A header damaged at any byte is refused, or does not matter", arguments: FileStore.allCases)
  func damagedHeaders(_ kind: FileStore) throws {
    let content = try kind.makeSamples(count, at: folder.file("sound"))
    let places: [Int]
    switch kind {
    case .sqlite, .checksums: places = Array(0..<100)
    case .lmdb: places = Array(0..<152) + Array(4_096..<4_096 + 152)
    case .memory: places = Array(0..<56)
    }
    let files = places.flatMap { place in
      (kind.isSQLite ? [0xff as UInt8, 0x01] : [0x55]).map { mask in
        var damaged = content
        damaged[place] ^= mask
        return (note: "byte \(place) ^ \(mask)", content: damaged)
      }
    }
    let found = try outcomes(kind, files)
    #expect(found.wrong == 0 && found.missing == 0, "\(found)")
    // One of LMDB's two meta pages is enough.
    #expect(kind == .lmdb || found.refused > files.count / 4, "\(found)")
    #expect(kind != .lmdb || found.refused < files.count / 50, "\(found)")
    print("\(kind) header:", found)
  }

  @Test(
    "A damaged byte anywhere ends no process and gives no wrong value",
    arguments: FileStore.allCases, ["afterUncleanClose", "always"])
  func damagedAnywhere(_ kind: FileStore, _ verification: String) throws {
    let seed = runSeed()
    var generator = SeededGenerator(seed: seed)
    let content = try kind.makeSamples(count, at: folder.file("sound"))
    // Batches of 60, each with a helper of its own, whose time is limited.
    let size = ProcessInfo.processInfo.environment["STRATA_DAMAGED_FILES"].flatMap { Int($0) } ?? 60
    for first in stride(from: 0, to: size, by: 60) {
      let files = (first..<min(first + 60, size)).map { _ in
        var damaged = content
        let place = Int.random(in: 0..<content.count, using: &generator)
        damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
        return (note: "seed \(seed), byte \(place) is \(damaged[place])", content: damaged)
      }
      let found = try outcomes(kind, files, verification)
      // Without checksums damage inside a value of SQLite, or its key, cannot be seen; with them, a
      // damaged key of an inner page still hides rows from a look-up.
      #expect(kind == .sqlite || found.wrong == 0, "seed \(seed): \(found)")
      // So does one of LMDB, which the check reports.
      #expect(kind.isSQLite || found.unseen == 0, "seed \(seed): \(found)")
      print("\(kind) anywhere, \(verification):", found)
    }
  }

  @Test("A schema that is not what we made is reported as damage, or as another's file")
  func damagedSchemas() throws {
    let content = try FileStore.sqlite.makeSamples(count, at: folder.file("sound"))
    func replacing(_ old: String, _ new: String, times: Int) throws -> Data {
      var changed = content
      var start = content.startIndex
      for _ in 0..<times {
        let place = try #require(changed.range(of: Data(old.utf8), in: start..<changed.endIndex))
        changed.replaceSubrange(place, with: Data(new.utf8))
        start = place.upperBound
      }
      return changed
    }
    let files = [
      // The store's own table without the column that is asked for.
      (
        try replacing(
          "(\"name\" TEXT NOT NULL, \"value\"", "(\"name\" TEXT NOT NULL, \"walue\"", times: 1),
        "corrupt"
      ),
      // The store's own table by another name: type, name and statement.
      (try replacing("strata_meta", "others_meta", times: 3), "notADatabase"),
    ]
    for (number, (file, code)) in files.enumerated() {
      let path = try folder.write(file, "schema \(number)")
      #expect(try probe(.sqlite, [path], "always").lines == ["refused \(code)"])
      #expect(try bytes(path) == file)
    }
  }

  @Test("A damaged record is corrupt by itself: the other rows stay readable")
  func damagedRecord() throws {
    let content = try FileStore.lmdb.makeSamples(count, at: folder.file("sound"))
    let text = Data("4/2 30 30 ".utf8)
    let first = try #require(content.range(of: text))
    // Pages that were written anew keep what they held, so every copy is damaged.
    var damaged = content
    var next: Range<Data.Index>? = first
    while let place = next {
      damaged[place.upperBound - 2] ^= 0x04
      next = damaged.range(of: text, in: place.upperBound..<damaged.endIndex)
    }
    let path = try folder.write(damaged, "damaged")
    let found = try probe(.lmdb, [path], "always", "readOnly")
    #expect(found.lines == ["opened 59 0 0 corrupt readOnly corrupt unsound"])
    let store = try FileStore.lmdb.open(path) { $0.isReadOnly = true }
    do {
      _ = try store.find(Entry.self, 42)
      Issue.record("the row is damaged")
    } catch let error as StoreError {
      #expect(error.code == .corrupt)
      #expect(error.entity == "Entry")
      #expect(error.key == [.int(42)])
    }
    try store.close()
  }

  // MARK: Outcomes

  /// The outcomes of many files, summed up.
  private struct Found: CustomStringConvertible {
    var codes: [String: Int] = [:]
    var refused = 0, opened = 0, whole = 0, wrong = 0, missing = 0
    /// The missing rows of files that `check()` calls sound.
    var unseen = 0
    /// The last file with wrong or missing rows.
    var last = ""

    var description: String {
      "\(refused) refused \(codes.sorted { $0.key < $1.key }), \(opened) opened, "
        + "\(whole) whole, \(wrong) wrong and \(missing) missing rows\(last)"
    }
  }

  /// Opens, reads and writes each file in another process; a refused one must be as it was.
  private func outcomes(
    _ kind: FileStore, _ files: [(note: String, content: Data)],
    _ verification: String = "afterUncleanClose"
  ) throws -> Found {
    let place = TestFolder(inMemory: true)
    let paths = try files.indices.map { try place.write(files[$0].content, "\($0)") }
    let (lines, exits) = try probe(kind, paths, verification)
    let last = files[min(lines.count, files.count - 1)].note
    #expect(exits, "a signal, or the watchdog, ended the process: \(last)")
    #expect(lines.count == files.count, "\(last)")
    var found = Found()
    for (index, line) in lines.enumerated() where index < files.count {
      let note = files[index].note
      let words = line.split(separator: " ").map(String.init)
      if words.first == "refused" {
        found.refused += 1
        found.codes[words[1], default: 0] += 1
        // Without checksums another letter in a name of the stored schema is another name.
        let others = kind == .sqlite ? ["schemaMismatch"] : []
        #expect(
          (["notADatabase", "corrupt", "schemaTooNew", "unsupportedVersion"] + others)
            .contains(words[1]),
          "\(note)")
        #expect(try bytes(paths[index]) == files[index].content, "\(note)")
      } else if words.count == 8 {
        found.opened += 1
        if words[1...] == ["\(count)", "0", "0", "whole", "allowed", "-", "sound"] {
          found.whole += 1
        }
        found.missing += Int(words[2]) ?? 0
        found.wrong += Int(words[3]) ?? 0
        if words[7] == "sound" { found.unseen += Int(words[2]) ?? 0 }
        if words[2...3] != ["0", "0"] { found.last = ", the last: \(note): \(line)" }
        let all = Set(words[4...6].flatMap { $0.split(separator: "+").map(String.init) })
        for code in all.subtracting(["whole", "allowed", "-"]) {
          found.codes["later " + code, default: 0] += 1
        }
        if !kind.isSQLite {
          #expect(words[4] != "differs" && all.isSubset(of: Self.known), "\(note): \(line)")
        }
      } else {
        Issue.record("\(note): \(line)")
      }
    }
    return found
  }

  private static let known: Set = ["whole", "allowed", "-", "corrupt"]

  private func probe(
    _ kind: FileStore, _ paths: [String], _ verification: String, _ access: String = "write"
  ) throws -> (lines: [String], exits: Bool) {
    let list = try folder.write(Data(paths.map { $0 + "\n" }.joined().utf8), UUID().uuidString)
    let helper = try HelperProcess.store(
      ["probe", kind.rawValue, "\(count)", verification, access], input: list, limit: 120)
    var lines = helper.lines()
    if lines.last == "ok" { lines.removeLast() }
    return (lines, helper.exits())
  }
}
