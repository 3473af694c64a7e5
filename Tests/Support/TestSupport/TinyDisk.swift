import Foundation

/// A volume of a few pages, in memory, that only root can make.
package final class TinyDisk {
  package let folder: TestFolder

  package static var isPossible: Bool {
    guard geteuid() == 0, let disk = try? TinyDisk(size: "64k") else { return false }
    return FileManager.default.isWritableFile(atPath: disk.folder.path)
  }

  package init(size: String) throws {
    folder = TestFolder()
    try Self.run("mount", "-t", "tmpfs", "-o", "size=\(size)", "tmpfs", folder.path)
  }

  deinit { try? Self.run("umount", "-l", folder.path) }

  /// Makes the volume read-only.
  ///
  /// A program that another test starts at this time holds our files open until it runs, and the
  /// volume is busy for as long.
  package func makeReadOnly() throws {
    for _ in 0..<100 {
      if (try? Self.run("mount", "-o", "remount,ro", folder.path)) != nil { return }
      usleep(50_000)
    }
    try Self.run("mount", "-o", "remount,ro", folder.path)
  }

  private static func run(_ tool: String, _ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/" + tool)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw TestFailure("\(tool) \(arguments) failed") }
  }
}
