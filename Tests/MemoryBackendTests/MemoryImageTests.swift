import Foundation
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

@testable import MemoryBackend

/// A whole map in a file, and what becomes of files that are damaged, foreign or newer.
///
/// Clause 7.3.
@Suite struct MemoryImageTests {
  /// An image put together by a Python script from the format's description, with the checksums of
  /// the `xxhash` module: keyspace 0 holds a → 1 and b → (empty), keyspace 4,000,000,000 holds
  /// 00 FF → 200 times x.
  static let example: Bytes =
    bytes(
      """
      5354524154414d454d000000010000003401000000000000b6c5eb49e70dcc7f
      0200000000000000
      000000000000000002000000000000000300000000000000 0101 61 31 0100 62
      00286bee000000000100000000000000ca00000000000000 02c801 00ff
      """) + Bytes(repeating: 0x78, count: 200) + bytes("f17ac39ed1a3317b")

  @Test func anImageMadeElsewhereIsRead() throws {
    let map = try Scratch().with(Self.example) { try MemoryMap(contentsOf: $0) }
    try expectExample(map)
    try map.letters("written later")
    try map.checkInvariants()
  }

  @Test func anImageIsWrittenAsDescribed() throws {
    let map = MemoryMap()
    try map.write { batch in
      try batch.put([0, 255], Bytes(repeating: 0x78, count: 200), in: 4_000_000_000)
      try batch.put("b", "", in: 0)
      try batch.put("a", "1", in: 0)
      try batch.put("gone", "", in: 5)
    }
    try map.write { try $0.removeAll(in: 5) }
    let scratch = Scratch()
    try map.write(to: scratch.path)
    #expect(try scratch.bytes() == Self.example)
    #expect(try scratch.names() == ["image"])
  }

  @Test func whatIsWrittenIsReadBack() throws {
    let seed = runSeed()
    var random = SeededGenerator(seed: seed)
    let scratch = Scratch()
    for rows in [0, 1, 37, 4_000] {
      let map = MemoryMap()
      var models: [Keyspace: KeyspaceModel] = [0: .init(), 1: .init(), 5_000: .init()]
      try map.write { batch in
        for row in 0..<rows {
          let keyspace: Keyspace = [0, 1, 5_000].randomElement(using: &random) ?? 0
          // Some longer than what is read at a time.
          let size = row % 1_000 == 9 ? 600_000 : row % 300 == 0 ? 20_000 : row % 130
          let key = Pair.key(.random(in: 0..<1_000_000, using: &random))
          let value = Bytes(repeating: .random(in: 0...255, using: &random), count: size)
          models[keyspace]?.put(key, value)
          try batch.put(key, value, in: keyspace)
        }
      }
      try map.write(to: scratch.path)
      let copy = try MemoryMap(contentsOf: scratch.path)
      try copy.checkInvariants()
      try copy.read { snapshot in
        for (keyspace, model) in models {
          try snapshot.expect(model.pairs, in: keyspace, "seed \(seed)")
        }
      }
      #expect(copy.accounts.published.bytes == map.accounts.published.bytes)
    }
  }

  @Test func theNewestCommitIsWrittenWhileABatchIsOpen() throws {
    let map = MemoryMap()
    try map.letters("a")
    let batch = try map.batch(wait: 0)
    try batch.put("b", "b!", in: 1)
    let scratch = Scratch()
    try map.write(to: scratch.path)
    batch.end()
    try MemoryMap(contentsOf: scratch.path).read { try $0.expect([Pair("a", "a!")], in: 1) }
  }

  @Test func aReplacedFileKeepsItsPermissions() throws {
    let scratch = Scratch()
    let old = scratch.path + ".target"
    try Data("old".utf8).write(to: URL(fileURLWithPath: old))
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: old)
    try manager.createSymbolicLink(atPath: scratch.path, withDestinationPath: old)
    let map = MemoryMap()
    try map.letters("a")
    try map.write(to: scratch.path)
    let attributes = try manager.attributesOfItem(atPath: old)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try scratch.names() == ["image", "image.target"], "no draft is left")
    #expect(try manager.destinationOfSymbolicLink(atPath: scratch.path) == old)
    try MemoryMap(contentsOf: old).read { try $0.expect([Pair("a", "a!")], in: 1) }
  }

  @Test func aWriteThatFailsLeavesNothingBehind() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/inner", withIntermediateDirectories: true)
    let map = MemoryMap()
    #expect(code { try map.write(to: scratch.path) } == .cannotOpen)
    #expect(try scratch.names() == ["image"])
    #expect(code { try map.write(to: "/proc/none/image") } == .cannotOpen)
    try map.close()
    #expect(code { try map.write(to: scratch.path + "/x") } == .closed)
  }

  @Test func missingFoldersAreMade() throws {
    let scratch = Scratch()
    let map = MemoryMap()
    try map.letters("a")
    let path = scratch.path + "/some//new/image"
    try map.write(to: path)
    try MemoryMap(contentsOf: path).read { try $0.expect([Pair("a", "a!")], in: 1) }
    #expect(code { try map.write(to: path + "/below/image") } == .cannotOpen)
  }

  @Test func whatIsNoFileCannotBeOpened() throws {
    let scratch = Scratch()
    #expect(code { _ = try MemoryMap(contentsOf: scratch.path) } == .cannotOpen)
    #expect(code { _ = try MemoryMap(contentsOf: scratch.folder) } == .cannotOpen)
  }

  @Test func foreignFilesAreNotADatabase() throws {
    for text in ["", "S", "SQLite format 3\0", "STRATAMEN and more", "\0\0\0\0\0\0\0\0\0\0\0\0"] {
      // One letter of the name is a shortened image.
      let expected: StoreError.Code = text == "S" ? .corrupt : .notADatabase
      try expect(expected, opening: Bytes(text.utf8), text)
    }
  }

  @Test func everyShortenedImageIsRefused() throws {
    for length in 1..<Self.example.count {
      try expect(.corrupt, opening: Bytes(Self.example.prefix(length)), "\(length)")
    }
    try expect(.corrupt, opening: Self.example + [0], "longer")
    try expect(.corrupt, opening: Self.example + Self.example, "twice")
  }

  @Test func everyFlippedBitIsFound() throws {
    for place in Self.example.indices {
      for bit in 0..<8 {
        var image = Self.example
        image[place] ^= 1 << UInt8(bit)
        try expect(place < 9 ? .notADatabase : .corrupt, opening: image, "\(place), \(bit)")
      }
    }
  }

  @Test func aNewerImageIsTooNew() throws {
    var image = Self.example
    // Version 2, and the checksum of its header, by the same script.
    image.replaceSubrange(
      0..<32,
      with: Self.bytes("5354524154414d454d000000020000003401000000000000 11a30aa5ed2f0954"))
    try expect(.schemaTooNew, opening: image, "version 2")
  }

  /// Checksums are right in all of these, so that only the reader's own care is left.
  @Test func imagesThatContradictThemselvesAreCorrupt() throws {
    let section = "0000000000000000 0200000000000000 0300000000000000"
    let good = "0100000000000000" + section + "0101 61 31 0100 62"
    let map = try Scratch().with(Self.image(good)) { try MemoryMap(contentsOf: $0) }
    try map.read { try $0.expect([Pair("a", "1"), Pair("b", "")], in: 0) }
    for (name, body) in [
      ("keys in the wrong order", "0100000000000000" + section + "0100 62 0101 61 31"),
      ("a key twice", "0100000000000000" + section + "0101 61 31 0100 61"),
      ("other bytes than it says", good.replacing("0300000000000000", with: "0400000000000000")),
      ("more entries than there are", good.replacing("02000000000000", with: "03000000000000")),
      ("fewer entries", good.replacing("02000000000000", with: "01000000000000")),
      ("no entries", "0100000000000000 0000000000000000 0000000000000000 0000000000000000"),
      ("more sections than there are", "02" + good.dropFirst(2)),
      ("fewer sections", "00" + good.dropFirst(2)),
      ("very many entries", good.replacing("02000000000000", with: "FFFFFFFFFFFFFF")),
      ("the same keyspace twice", "02" + good.dropFirst(2) + section + "0101 61 31 0100 62"),
      ("a value past the end", good.replacing("0101 61 31", with: "01FFFF7F 61 31")),
      ("a length of ten bytes", good.replacing("0101 61", with: "01FFFFFFFFFFFFFFFFFF01 61")),
      ("a length without end", good.replacing("0101 61", with: "FFFFFFFFFFFFFFFFFFFFFFFF 61")),
    ] {
      try expect(.corrupt, opening: Self.image(body), name)
    }
  }

  @Test func anImageLargerThanTheLimitIsFull() throws {
    let scratch = Scratch()
    try scratch.with(Self.example) { path in
      #expect(code { _ = try MemoryMap(contentsOf: path, limit: 204) } == .full)
      try expectExample(MemoryMap(contentsOf: path, limit: 205))
      let map = try MemoryMap(contentsOf: path, limit: 205)
      #expect(code { try map.letters("c") } == .full)
    }
  }

  /// The numbers are those of the Python module `xxhash`.
  @Test func theHashIsXXH64() {
    let expected: [Int: UInt64] = [
      0: 0xef46_db37_51d8_e999, 1: 0xe934_a84a_db05_2768, 3: 0x0a8b_0eaa_a44d_36dc,
      4: 0xa52c_40dc_1e45_8cb4, 8: 0x7966_fb28_3479_6e77, 12: 0xfb41_c903_1996_f3e9,
      31: 0xbdb8_7f28_fde1_ec91, 32: 0x70e7_f656_3e61_b260, 33: 0x9dd0_1335_c51a_c88f,
      63: 0x6a3e_f85d_3e6d_755e, 64: 0xfe80_8355_4c30_b401, 100: 0xd52d_daaf_2112_7aa9,
      1_000: 0xed0b_042e_f7c8_fe40,
    ]
    for (count, hash) in expected {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * $0 * 7 + $0) }
      #expect(bytes.withUnsafeBytes { XXHash64.hash($0) } == hash, "\(count)")
      for step in [1, 5, 32, 33] {
        var stream = XXHash64()
        for part in bytes.chunked(by: step) { part.withUnsafeBytes { stream.update($0) } }
        #expect(stream.finish() == hash, "\(count) in steps of \(step)")
      }
    }
  }
}

extension MemoryImageTests {
  private func expectExample(_ map: MemoryMap) throws {
    try map.read { snapshot in
      try snapshot.expect([Pair("a", "1"), Pair("b", "")], in: 0)
      try snapshot.expect(
        [Pair([0, 255], Bytes(repeating: 0x78, count: 200))], in: 4_000_000_000)
    }
    try map.checkInvariants()
    #expect(map.accounts.published.bytes == 205)
  }

  /// Expects the error, and the file as it was.
  private func expect(
    _ expected: StoreError.Code, opening bytes: Bytes, _ name: String,
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let scratch = Scratch()
    try scratch.with(bytes) { path in
      let found = code { _ = try MemoryMap(contentsOf: path) }
      #expect(found == expected, "\(name)", sourceLocation: place)
    }
    #expect(try scratch.bytes() == bytes, "\(name)", sourceLocation: place)
  }

  /// A body with the header and checksum that belong to it.
  private static func image(_ body: some StringProtocol) -> Bytes {
    let body = bytes(body)
    let image = Image.header(length: 32 + body.count + 8) + body
    return image + Image.bytes(image.withUnsafeBytes { XXHash64.hash($0) })
  }

  /// Bytes from hexadecimal digits.
  private static func bytes(_ text: some StringProtocol) -> Bytes {
    let digits = text.compactMap(\.hexDigitValue).map { UInt8($0) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

/// A folder with one file, an image.
private struct Scratch {
  private let files = TestFolder()
  var folder: String { files.path }
  var path: String { files.file("image") }

  /// Writes a file and calls `body` with its path.
  func with<R>(_ bytes: Bytes, _ body: (String) throws -> R) throws -> R {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return try body(path)
  }

  func bytes() throws -> Bytes { Bytes(try Data(contentsOf: URL(fileURLWithPath: path))) }

  func names() throws -> [String] { try files.names() }
}
