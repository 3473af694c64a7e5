#if Command
  import Foundation
  import ORM

  /// The standard streams, which `-` names instead of a file.
  enum StandardStreams {
    /// Returns whether an argument names standard input or output.
    static func isNamed(by argument: String) -> Bool { argument == "-" }

    /// Writes a text to standard output.
    ///
    /// - Throws: `inputOutput` if nothing takes it, such as a full disk.
    static func write(_ text: String) throws {
      do {
        try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
      } catch {
        throw StoreError(.inputOutput, "standard output cannot be written")
      }
    }

    /// Writes a line to standard error.
    static func note(_ line: String) {
      try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Prints the line of a report; on standard error if the reported data goes to standard output.
    static func report(_ line: String, besides target: String?) {
      if let target, isNamed(by: target) { note(line) } else { print(line) }
    }

    /// Reads the text of a file, or of standard input.
    ///
    /// - Throws: `cannotOpen`.
    static func text(of path: String) throws -> String {
      if isNamed(by: path) {
        return String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
      }
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw StoreError(.cannotOpen, "the file \(path) cannot be read")
      }
      return text
    }
  }

  /// A temporary file that replaces a standard stream: input that is read twice, or output that may be
  /// withdrawn.
  ///
  /// It is removed with this object.
  final class StreamFile {
    let path: String

    /// Makes an empty file that only its owner may read.
    ///
    /// - Throws: `cannotOpen`.
    init() throws {
      path =
        FileManager.default.temporaryDirectory
        .appendingPathComponent("strata-stream-" + UUID().uuidString).path
      guard
        FileManager.default.createFile(
          atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
      else { throw StoreError(.cannotOpen, "the temporary file \(path) cannot be made") }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes standard input to the file, to its end.
    ///
    /// - Throws: `inputOutput`.
    func takeInput() throws {
      try copy(from: .standardInput, to: opened(FileHandle(forWritingAtPath: path)))
    }

    /// Writes the file to standard output.
    ///
    /// - Throws: `inputOutput`.
    func giveOutput() throws {
      try copy(from: opened(FileHandle(forReadingAtPath: path)), to: .standardOutput)
    }

    private func opened(_ file: FileHandle?) throws -> FileHandle {
      guard let file else {
        throw StoreError(.cannotOpen, "the temporary file \(path) cannot be opened")
      }
      return file
    }

    private func copy(from source: FileHandle, to target: FileHandle) throws {
      do {
        while let bytes = try source.read(upToCount: 1 << 18), !bytes.isEmpty {
          try target.write(contentsOf: bytes)
        }
      } catch {
        throw StoreError(
          .inputOutput, "a standard stream or the temporary file \(path) for it cannot be used")
      }
    }
  }
#endif
