import Foundation

/// The outputs of a run: standard output, and a folder for its files.
struct Output {
  let folder: URL

  /// Prints at once, also into a pipe.
  func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Writes a record beside the others, under its mode and number of rows.
  func write(_ record: some Encodable, as name: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    try write(String(decoding: encoder.encode(record), as: UTF8.self), as: name + ".json")
  }

  func write(_ text: String, as name: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: folder.appendingPathComponent(name))
  }
}
