import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// Files that are removed, replaced or written to under an open map: clauses 6.6 and 7.3.
@Suite struct LMDBReplacedTests {
  let folder = TestFolder(inMemory: true)

  @Test("6.6 a write to a file that was removed, moved or replaced is refused")
  func replacedFiles() throws {
    let files = FileManager.default
    let changes: [(String) throws -> Void] = [
      { try files.removeItem(atPath: $0) },
      { try files.moveItem(atPath: $0, toPath: $0 + ".moved") },
      { path in
        try files.copyItem(atPath: path, toPath: path + ".copy")
        #expect(rename(path + ".copy", path) == 0)
      },
      { try files.removeItem(atPath: $0 + "-guard") },
      { try files.removeItem(atPath: $0 + "-lock") },
      { path in
        try files.removeItem(atPath: path + "-guard")
        try Data().write(to: URL(fileURLWithPath: path + "-guard"))
      },
    ]
    for (number, change) in changes.enumerated() {
      let path = folder.newPath()
      let map = try LMDBMap(path: path)
      try map.letters("a")
      try change(path)
      #expect(code { try map.letters("b") } == .fileReplaced, "change \(number)")
      #expect(code { try map.letters("b") } == .fileReplaced, "change \(number)")
      // What was open can still be read.
      #expect(try map.read { try $0.entries(in: 1) } == [Pair("a", "a!")])
      try map.close()
    }
  }

  @Test("6.6 a commit to a file that was replaced since its batch began is not reported as done")
  func replacedMeanwhile() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.letters("a")
    let batch = try map.batch(wait: 1)
    try batch.put("b", "b!", in: 1)
    try FileManager.default.removeItem(atPath: path)
    #expect(code { try batch.commit() } == .fileReplaced)
    try map.close()
  }

  @Test("7.3 pages that another program damages under an open map are found before a write")
  func damagedMeanwhile() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    for number in 0..<5 {
      try map.write { batch in
        for key in 0..<300 { try batch.put("\(key)", "\(number) \(key)", in: 1) }
      }
    }
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    var refused = 0
    for page in 2..<whole.count / 4_096 {
      for place in [0, 10, 12, 14, 16, 17] {
        let offset = page * 4_096 + place
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [whole[offset] ^ 0x41])
        let found = code { try map.batch(wait: 1).end() }
        #expect(found == nil || found == .corrupt)
        if found != nil { refused += 1 }
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: [whole[offset]])
      }
    }
    #expect(refused > 20)
    // Once it is as it was, it is written to as before.
    try map.letters("after")
    try map.close()
    try LMDBFile.check(path)
  }

  @Test("7.3 a small file that was closed cleanly is checked before its first write")
  func checkedBeforeWriting() throws {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.write { batch in for key in 0..<300 { try batch.put("\(key)", "x", in: 1) } }
    try map.close()
    // A page changes, and nothing tells: as if the disk had changed it.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // A leaf of hundreds of entries: more than 256 bytes lead to them.
    let leaf = try #require(
      (2..<bytes.count / 4_096).last { bytes[$0 * 4_096 + 10] == 2 && bytes[$0 * 4_096 + 13] > 0 })
    try file.seek(toOffset: UInt64(leaf * 4_096 + 14))
    try file.write(contentsOf: [0, 0])
    try file.close()
    #expect(try HelperProcess.run("lmdb", "forge", path) == ["ok"])
    var options = LMDBMap.Options()
    let again = try LMDBMap(path: path, options: options)
    #expect(!again.wasChecked)
    #expect(code { try again.letters("b") } == .corrupt)
    try again.close()
    #expect(try HelperProcess.run("lmdb", "forge", path) == ["ok"])
    options.checkedSize = 0
    let unchecked = try LMDBMap(path: path, options: options)
    #expect(code { try unchecked.batch(wait: 1).end() } == nil)
    try unchecked.close()
  }
}
