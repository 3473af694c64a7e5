import Foundation
import StoreModels
import TestSupport
import Testing

/// A process that is forked while it has a store open, at every point of an operation: clause 6.9.
@Suite struct ForkTests {
  private let folder = TestFolder()

  private static let points = [
    "open", "read", "afterFind", "chunk", "write", "afterSave", "afterSecondStore", "inSavepoint",
    "afterSavepoint", "beforeCommit", "rollback", "noticed", "afterCommit",
  ]

  /// What a helper reports: each child gets `forked` alone, and the parent has the changes of the six
  /// transactions around a fork that it commits.
  private static let expected =
    points.map { "\($0) forked" } + ["parent: 6 50 50", "sound", "ok"]

  @Test(
    "6.9: a child of a fork gets forked at each point, and its parent goes on",
    arguments: FileStore.allCases)
  func file(_ kind: FileStore) throws {
    let path = kind == .memory ? "" : folder.newPath()
    let lines = try HelperProcess.run("store", "fork", kind.location(path))
    #expect(lines == Self.expected)
  }

  @Test(
    "6.9: a child of a fork gets forked from a coordinator", arguments: CoordinatedStore.allCases)
  func coordinator(_ kind: CoordinatedStore) throws {
    let lines = try HelperProcess.run("store", "fork", kind.location(folder.newPath()))
    #expect(lines == Self.expected)
  }
}
