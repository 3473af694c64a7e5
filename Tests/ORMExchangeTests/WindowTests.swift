import Foundation
import Testing

@testable import ORMExchange

/// Sources that have few bytes at a time, as the fuzz targets found them.
@Suite struct WindowTests {
  private func window(_ text: String, _ chunk: Int) throws -> ByteWindow {
    let data = Data(text.utf8)
    var place = 0
    return try ByteWindow(limit: 100, chunk: chunk) { count in
      let end = min(place + count, data.count)
      defer { place = end }
      return data[place..<end]
    }
  }

  /// The records of JSON, and the message of the error that ends it.
  private func records(_ text: String, _ chunk: Int) throws -> [String] {
    var found: [String] = []
    let source = JSONSource(window: try window(text, chunk), path: [], isKeyed: false, entity: "T")
    do {
      try source.forEach { found.append(String(decoding: $0.bytes, as: UTF8.self)) }
    } catch let error as StoreError {
      found.append(error.message)
    }
    return found
  }

  @Test func aByteOrderMarkMayComeInParts() throws {
    for chunk in 1...4 {
      #expect(try records("\u{FEFF}[1,2]", chunk) == ["1", "2"])
      var reader = CSVReader(try window("\u{FEFF}id\n", chunk), CSVFormat())
      #expect(try reader.next())
      #expect(reader.text(0) == "id")
    }
  }

  @Test func messagesDoNotDependOnBlocks() throws {
    for text in ["[1", "[1 2]", #"[{"id""#, "[1]x", "[,]", #"{"a"#] {
      for chunk in 1...4 { #expect(try records(text, chunk) == records(text, 64)) }
    }
  }
}
