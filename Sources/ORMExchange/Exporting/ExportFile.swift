internal import Foundation
internal import ORM

/// A file that is written under a temporary name and gets its own when it is whole, or standard output.
final class ExportFile {
  private let path: String
  /// The path of the temporary file; nil for standard output.
  private let temporary: String?
  private let file: FileHandle
  /// The number of bytes that were written.
  private(set) var count = 0
  private var isDone = false

  /// Opens the file.
  ///
  /// - Throws: `cannotOpen`, also for a path that is there and no regular file: renaming would put a
  ///   file instead of a device or a pipe.
  init(_ target: ExportTo) throws {
    if target.isStandardOutput {
      path = "/dev/stdout"
      temporary = nil
      file = .standardOutput
      return
    }
    path = target.path
    try StoreError.checkRegular(path)
    let temporary = "\(path).\(UUID().uuidString.prefix(8)).tmp"
    self.temporary = temporary
    guard FileManager.default.createFile(atPath: temporary, contents: nil),
      let file = FileHandle(forWritingAtPath: temporary)
    else {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      let isThere = FileManager.default.fileExists(atPath: folder)
      throw StoreError(
        .cannotOpen,
        isThere
          ? "the file \(path) cannot be written; check the permissions of its folder"
          : "the file \(path) cannot be written, since there is no folder \(folder); create it first"
      )
    }
    self.file = file
  }

  deinit {
    if !isDone, let temporary { try? FileManager.default.removeItem(atPath: temporary) }
  }

  /// Writes bytes, best in blocks.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try file.write(contentsOf: Data(bytes))
    } catch {
      throw StoreError.unwritable(path, error)
    }
    count += bytes.count
  }

  /// Moves the file to its path.
  func finish() throws {
    guard let temporary else { return }
    do {
      try file.synchronize()
      try file.close()
    } catch {
      throw StoreError.unwritable(path, error)
    }
    guard rename(temporary, path) == 0 else {
      throw StoreError(
        .inputOutput, "the file \(path) cannot be moved to its path", engineCode: Int(errno))
    }
    isDone = true
  }
}

extension StoreError {
  /// Checks that a path leads to a regular file or to nothing.
  ///
  /// - Throws: `cannotOpen`.
  static func checkRegular(_ path: String) throws {
    let known = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: known) else { return }
    if attributes[.type] as? FileAttributeType != .typeRegular {
      throw StoreError(.cannotOpen, "\(path) is not a regular file")
    }
  }

  /// The error of a file that cannot be written: `full` where the system says so, else `inputOutput`.
  static func unwritable(_ path: String, _ error: any Error) -> StoreError {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    let isFull =
      (error as? CocoaError)?.code == .fileWriteOutOfSpace
      || (cause.domain == NSPOSIXErrorDomain
        && [ENOSPC, EDQUOT, EFBIG].contains(Int32(truncatingIfNeeded: cause.code)))
    return StoreError(
      isFull ? .full : .inputOutput, "the file \(path) cannot be written",
      engineCode: cause.domain == NSPOSIXErrorDomain ? cause.code : nil)
  }
}
