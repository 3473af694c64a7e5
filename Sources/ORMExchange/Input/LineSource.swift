internal import Foundation

/// The records of JSON Lines: one JSON value a line; blank lines are passed over.
struct LineSource {
  let window: ByteWindow

  /// Calls a closure with each record.
  func forEach(_ body: (RawRecord) throws -> Void) throws {
    var line = 0
    while try window.peek() != nil {
      window.mark = window.position
      line += 1
      let location = ImportLocation(line: line, byte: window.offset)
      window.note(location)
      let end = try endOfLine()
      let bytes = UnsafeRawBufferPointer(rebasing: window.memory[window.mark..<end])
      if !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
        try body(RawRecord(bytes: bytes, location: location))
      }
      window.mark = window.position
    }
  }

  /// Moves past the line and returns its end without the line feed.
  private func endOfLine() throws -> Int {
    while try window.peek() != nil {
      let bytes = UnsafeRawBufferPointer(rebasing: window.memory[window.position..<window.count])
      if let start = bytes.baseAddress, let end = memchr(start, 0x0A, bytes.count) {
        window.position += UnsafeRawPointer(end) - start + 1
        return window.position - 1
      }
      window.position = window.count
    }
    return window.position
  }
}
