import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// Symbolic links instead of files beside a store: their targets are never written.
@Suite struct SideFileTests {
  private let folder = TestFolder()

  private static let cases: [(FileStore, String)] =
    ["-wal", "-shm", "-journal", ".external/lock"].map { (.sqlite, $0) }
    + ["-lock", "-guard", ".external/lock"].map { (.lmdb, $0) }

  private func open(_ kind: FileStore, _ path: String) throws -> any Store {
    try StoreLocation(kind: kind.kind, path: path).open(schema: Reel.schema())
  }

  @Test("7.3: a symbolic link beside the file of a store is not followed", arguments: cases)
  func links(_ kind: FileStore, _ suffix: String) throws {
    let path = folder.newPath()
    let store = try open(kind, path)
    for _ in 0..<3 { _ = try Reels.next(in: store) }
    try store.close()
    let other = folder.path + "/other"
    let bytes = Data("of somebody else".utf8)
    try bytes.write(to: URL(fileURLWithPath: other))
    try? FileManager.default.removeItem(atPath: path + suffix)
    try FileManager.default.createSymbolicLink(atPath: path + suffix, withDestinationPath: other)
    var code: StoreError.Code?
    do {
      let store = try open(kind, path)
      defer { try? store.close() }
      _ = try store.fetch(Reel.all)
      _ = try Reels.next(in: store)
    } catch let error as StoreError {
      code = error.code
    }
    #expect(FileManager.default.contents(atPath: other) == bytes)
    // SQLite replaces a journal of its own that it finds at opening.
    if suffix != "-journal" { #expect([.cannotOpen, .inputOutput].contains(code)) }
    try? FileManager.default.removeItem(atPath: path + suffix)
    let again = try open(kind, path)
    let last = try again.first(Journal.all.sorted(by: .descending(\.id)))?.id ?? 0
    #expect(last >= 3)
    #expect(try again.fetch(Reel.all) == Reels.rows(after: last))
    #expect(try again.check().isSound)
    try again.close()
  }
}
