import Foundation
import ORM
import StoreModels
import TestSupport
import Testing

/// The files of stores that are named and not located (capability S1), printed by another process,
/// whose environment can be chosen.
@Suite struct NamedStoreTests {
  private func path(
    _ kind: FileStore, _ name: String?, _ environment: [String: String]
  ) throws -> String {
    let helper = try HelperProcess.store(
      ["named", kind.rawValue] + (name.map { [$0] } ?? []), environment: environment)
    let lines = helper.lines()
    try #require(lines.count == 2 && lines[1] == "ok", "\(lines)")
    return lines[0]
  }

  @Test(
    "S1: a named store lies below XDG_DATA_HOME, in a folder of the program's name that is made",
    arguments: FileStore.allCases)
  func dataHome(_ kind: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let home = folder.file("data/home")
    let ending =
      switch kind {
      case .sqlite, .checksums: "sqlite"
      case .lmdb: "lmdb"
      case .memory: "strata"
      }
    #expect(
      try path(kind, "App", ["XDG_DATA_HOME": home]) == "\(home)/CrashHelper/App.\(ending)")
    #expect(
      try path(kind, nil, ["XDG_DATA_HOME": home]) == "\(home)/CrashHelper/default.\(ending)")
    let store = try kind.open("\(home)/CrashHelper/App.\(ending)")
    #expect(try store.find(Counter.self, 1)?.value == 1)
    try store.close()
  }

  @Test("S1: unless it is set to an absolute path, data lies in .local/share of the home folder")
  func defaultHome() throws {
    let folder = TestFolder(inMemory: true)
    for home in ["", "relative/data"] {
      #expect(
        try path(.sqlite, "App", ["XDG_DATA_HOME": home, "HOME": folder.path])
          == "\(folder.path)/.local/share/CrashHelper/App.sqlite")
    }
  }
}
