import Foundation
import LMDBBackend
import ORMConformance
import ORMCore
import OrderedEngine
import TestSupport
import Testing

/// When the structure of a file is checked at opening: clause 7.3.
@Suite struct LMDBClosingTests {
  let folder = TestFolder()

  /// Opens the file, says whether it was checked, and closes it.
  private func isChecked(
    _ path: String, _ verification: StoreOptions.Verification = .afterUncleanClose
  ) throws -> Bool {
    var options = LMDBMap.Options()
    options.verification = verification
    let map = try LMDBMap(path: path, options: options)
    defer { try? map.close() }
    return map.wasChecked
  }

  private func makeFile() throws -> String {
    let path = folder.newPath()
    let map = try LMDBMap(path: path)
    try map.letters("a", "b")
    try map.close()
    return path
  }

  @Test func aFileThatWasClosedIsTrusted() throws {
    let path = try makeFile()
    #expect(try !isChecked(path))
    #expect(try !isChecked(path), "reading alone leaves it clean")
    #expect(try isChecked(path, .always))
    #expect(try !isChecked(path))
  }

  @Test func aKilledWriterLeavesTheFileUnclean() throws {
    let path = try makeFile()
    let helper = try HelperProcess(["lmdb", "commit", path, "0"])
    #expect(helper.line() == "1")
    helper.kill()
    #expect(try !isChecked(path, .never))
    #expect(try isChecked(path), "an opening that does not look does not make it clean")
    #expect(try !isChecked(path))
  }

  @Test func aKilledWriterThatCommittedNothingLeavesItUncleanToo() throws {
    let path = try makeFile()
    let helper = try HelperProcess.ready("lmdb", "write", path)
    helper.kill()
    #expect(try isChecked(path))
  }

  @Test func aKilledReaderLeavesTheFileClean() throws {
    let path = try makeFile()
    let helper = try HelperProcess.ready("lmdb", "read", path)
    helper.kill()
    #expect(try !isChecked(path))
  }

  @Test func whatWasChangedCopiedOrReplacedIsChecked() throws {
    let path = try makeFile()
    let copy = folder.newPath()
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    #expect(try isChecked(copy))
    try FileManager.default.copyItem(atPath: path + "-guard", toPath: copy + "-other")
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    // The same byte again, at once: nothing but the times can tell.
    try file.write(contentsOf: Data([0]))
    try file.close()
    #expect(try isChecked(path))
    #expect(try !isChecked(path), "it was found sound and closed, though no program wrote")
    let other = try makeFile()
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: other, toPath: path)
    #expect(try isChecked(path))
  }

  @Test func aChangeWhileAReaderHasTheFileOpenIsChecked() throws {
    let path = folder.newPath()
    try FileManager.default.copyItem(atPath: try makeFile(), toPath: path)
    let reader = try LMDBMap(path: path)
    #expect(reader.wasChecked, "a copy has no note")
    // Later than the tick of the system's clock in which the file was copied.
    Thread.sleep(forTimeInterval: 0.05)
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    // The same byte again: nothing but the times can tell.
    try file.write(contentsOf: Data([0]))
    try file.close()
    try reader.close()
    #expect(try isChecked(path), "the reader has not seen what was written")
    #expect(try !isChecked(path))
  }

  @Test func theLastOfSeveralProcessesMakesItClean() throws {
    let path = try makeFile()
    let helper = try HelperProcess.ready("lmdb", "open", path)
    let map = try LMDBMap(path: path)
    #expect(!map.wasChecked, "the other has it open, and has found it sound")
    try map.letters("c")
    try map.close()
    try helper.finish()
    #expect(helper.lines() == ["ok"])
    #expect(try !isChecked(path))
    let second = try HelperProcess.ready("lmdb", "open", path)
    let again = try LMDBMap(path: path)
    try second.finish()
    #expect(second.lines() == ["ok"])
    try again.letters("d")
    try again.close()
    #expect(try !isChecked(path))
  }

  @Test func aProcessKilledBesideOthersLeavesItUnclean() throws {
    let path = try makeFile()
    let map = try LMDBMap(path: path)
    let helper = try HelperProcess.ready("lmdb", "open", path)
    try map.letters("c")
    helper.kill()
    try map.close()
    #expect(try isChecked(path))
  }

  @Test func checkingAgainWhileOthersWriteFindsNothing() throws {
    let path = try makeFile()
    let helper = try HelperProcess(["lmdb", "commit", path, "0"])
    #expect(helper.line() == "1")
    for _ in 0..<20 {
      try LMDBFile.check(path)
      #expect(try isChecked(path, .always))
    }
    helper.kill()
    try LMDBFile.check(path)
  }
}
