internal import ORM

/// The records of JSON Lines: one JSON value a line; blank lines are passed over.
struct LineSource {
  let window: ByteWindow

  /// Calls a closure with each record.
  func forEach(_ body: (RawRecord) throws -> Void) throws {
    while try window.peek() != nil {
      window.mark = window.position
      let end = try endOfLine()
      let line = UnsafeRawBufferPointer(rebasing: window.memory[window.mark..<end])
      if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
        let place = window.place(at: window.mark)
        try body(RawRecord(bytes: line, origin: RecordOrigin(place: place)))
      }
      window.mark = window.position
    }
  }

  /// Moves past the line and returns its end without the line feed.
  private func endOfLine() throws -> Int {
    while try window.peek() != nil {
      let (bytes, count) = (window.memory, window.count)
      var place = window.position
      while place < count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
      window.position = place
      if place < count {
        window.position += 1
        return place
      }
    }
    return window.position
  }
}
