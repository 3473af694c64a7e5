import Foundation
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

@testable import LMDBBackend

/// Meta pages that were torn, damaged, or written by another version: clauses 6.6 and 7.3.
@Suite struct LMDBMetaTests {
  let folder = TestFolder(inMemory: true)

  /// The bytes of a meta page that mean something.
  private static let size = 152
  /// The offsets of the two meta pages.
  private static let places = [0, 4_096]

  /// The file as it was after each of several commits; commit `n` puts the letter `n` in keyspace 1.
  private func images(_ commits: Int) throws -> [Data] {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    defer { try? map.close() }
    return try (0..<commits).map { number in
      try map.write { batch in
        try batch.put("\(number)", "!", in: 1)
        // Pages come and go, so that lists of free pages are in use.
        for key in 0..<200 { try batch.put("\(key)", "\(number)", in: 2) }
        if number > 0 { try batch.removeAll(in: 3) }
        try batch.put("\(number)", String(repeating: "x", count: 9_000), in: 3)
      }
      return try Data(contentsOf: URL(fileURLWithPath: path))
    }
  }

  private func write(_ bytes: Data) throws -> String {
    let path = folder.newPath()
    try bytes.write(to: URL(fileURLWithPath: path))
    return path
  }

  private func transaction(_ image: Data, _ page: Int) -> UInt64 {
    image.subdata(in: page + 144..<page + 152).withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
  }

  /// The number of commits of a file when it is opened; it is written to, closed, and sound then.
  private func commits(_ bytes: Data, _ note: String) throws -> Int {
    let path = try write(bytes)
    let map = try LMDBMap(path: path)
    let count = try map.read { try $0.count(of: 1) }
    for number in 0..<count {
      #expect(try map.read { try $0.value("\(number)", in: 1) } == "!", "\(note)")
    }
    for keyspace: Keyspace in 4...6 { try map.write { try $0.put("k", note, in: keyspace) } }
    try map.close()
    let file = try LMDBPlainFile(LMDBPath(path, makesFolders: false))
    #expect(try !LMDBMetas.read(file).needsRepair, "\(note)")
    try LMDBFile.check(path)
    return count
  }

  // A tear leaves the bytes before some offset of one commit and those after it of another.
  @Test func aTornMetaPageLosesNoMoreThanItsOwnCommit() throws {
    let images = try images(7)
    for last in [5, 6] {
      let (before, after) = (images[last - 1], images[last])
      let page = Self.places.first { transaction(before, $0) != transaction(after, $0) } ?? 0
      // Fields begin at even offsets, most at multiples of eight.
      for cut in stride(from: 0, through: Self.size, by: 4) {
        let bytes = page..<page + cut
        var beginning = after
        beginning.replaceSubrange(page..<page + Self.size, with: before[page..<page + Self.size])
        beginning.replaceSubrange(bytes, with: after[bytes])
        var end = after
        end.replaceSubrange(bytes, with: before[bytes])
        for (torn, note) in [(beginning, "beginning"), (end, "end")] {
          let found = try commits(torn, "\(note) of \(cut), commit \(last)")
          let isWhole = torn == after
          #expect(found == last + 1 || !isWhole && found == last, "\(note) of \(cut)")
        }
      }
    }
  }

  @Test func aDamagedMetaPageIsRepairedFromTheOther() throws {
    let image = try images(6)[5]
    let newest = Self.places.max { transaction(image, $0) < transaction(image, $1) } ?? 0
    for page in Self.places {
      let expected = page == newest ? 5 : 6
      for filling in [0, 0xff, 0x5a] as [UInt8] {
        for range in [page..<page + 512, page + 512..<page + 4_096, page..<page + 4_096] {
          var damaged = image
          damaged.replaceSubrange(range, with: [UInt8](repeating: filling, count: range.count))
          let isRead = range.lowerBound < page + Self.size
          #expect(try commits(damaged, "\(range) of \(filling)") == (isRead ? expected : 6))
        }
      }
    }
  }

  @Test func twoDamagedMetaPagesAreCorrupt() throws {
    let image = try images(4)[3]
    // A root, the last page, the transaction's number, the kind of the page.
    for place in [135, 143, 151, 10] {
      var damaged = image
      for page in Self.places { damaged[page + place] ^= 0x55 }
      let path = try write(damaged)
      #expect(code { _ = try LMDBMap(path: path) } == .corrupt, "byte \(place)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
    }
  }

  @Test func aFileThatIsOnlyReadIsNotRepaired() throws {
    let image = try images(6)[5]
    let newest = Self.places.max { transaction(image, $0) < transaction(image, $1) } ?? 0
    var options = LMDBMap.Options()
    options.isReadOnly = true
    for page in Self.places {
      var damaged = image
      // The last page: nothing that the library looks at when it opens the file.
      damaged[page + 143] ^= 0x55
      let path = try write(damaged)
      if page == newest {
        #expect(code { _ = try LMDBMap(path: path, options: options) } == .corrupt)
      } else {
        let map = try LMDBMap(path: path, options: options)
        #expect(try map.read { try $0.count(of: 1) } == 6)
        try map.close()
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == damaged)
    }
  }

  // MARK: Versions

  @Test func filesOfOtherVersionsAreSaidToBe() throws {
    var older = try images(2)[1]
    for page in Self.places { older[page + 20] = 9 }
    // As LMDB 1.0 begins a page: number, transaction, two words, bounds; then magic and version.
    var newer = Data(count: 8_192)
    for page in Self.places {
      newer[page + 18] = 8
      newer.replaceSubrange(page + 24..<page + 32, with: [0xde, 0xc0, 0xef, 0xbe, 2, 0, 0, 0])
    }
    for (bytes, format) in [(older, 9), (newer, 2)] {
      let path = try write(bytes)
      do {
        _ = try LMDBMap(path: path)
        Issue.record("format \(format)")
      } catch let error as StoreError {
        #expect(error.code == .unsupportedVersion)
        #expect(error.message.contains("data format \(format)"))
        #expect(error.message.contains("mdb_load"))
      }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    }
  }

  @Test func aLibraryOfAnotherVersionIsSaidToBe() throws {
    try LMDBLibrary.check()
    try LMDBLibrary.check((0, 9, "LMDB 0.9.33"))
    for version in [(0, 8, "LMDB 0.8.1"), (1, 0, "LMDB 1.0.1"), (0, 10, "LMDB 0.10.0")] {
      #expect(code { try LMDBLibrary.check(version) } == .unsupportedVersion)
    }
  }

}
