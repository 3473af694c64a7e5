import Foundation

/// A volume of a few pages, in memory, that only root can make.
package final class TinyDisk {
  package let folder: TestFolder
  private var filler: String { folder.file("filler") }

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

  /// Writes a file until the volume is full.
  package func fillUp() {
    let file = open(filler, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    defer { close(file) }
    let block = [UInt8](repeating: 7, count: 512)
    while write(file, block, block.count) > 0 {}
  }

  /// Removes the file of ``fillUp()``.
  ///
  /// It is emptied first. A process that another test has forked may have it open, and keeps what is in it.
  package func makeRoom() throws {
    truncate(filler, 0)
    try FileManager.default.removeItem(atPath: filler)
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
