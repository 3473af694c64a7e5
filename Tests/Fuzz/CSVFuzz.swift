import Foundation

@testable import ORMExchange

// A target for libFuzzer, linked by `build` beside it.
// The first byte says the form of the CSV, the others are the text. Whatever comes in, a record is
// refused with its place or becomes a JSON object. The same records are found however few bytes the
// reader has at a time, and its memory is bounded.

private let limit = 300

private struct Field: Equatable {
  var text: String?
  var isQuoted: Bool
  var place: ImportPlace
}

private enum Line: Equatable {
  case fields([Field])
  case fault(String, ImportPlace)
  case end(String)
}

private func format(_ byte: UInt8) -> CSVFormat {
  var format = CSVFormat()
  format.delimiter = byte & 1 == 0 ? "," : ";"
  format.quote = byte & 2 == 0 ? "\"" : "'"
  format.isTrimmed = byte & 4 != 0
  format.comment = byte & 8 == 0 ? nil : "#"
  format.hasDecimalComma = byte & 16 != 0
  format.empty = byte & 32 == 0 ? .null : byte & 64 == 0 ? .absent : .text
  if byte & 128 != 0 { format.header = ["id", "text", "home.city", "numbers"] }
  return format
}

private func lines(_ data: Data, _ format: CSVFormat, chunk: Int) -> [Line] {
  var lines: [Line] = []
  do {
    let window = try data.window(limit: limit, chunk: chunk)
    var reader = CSVReader(window, format)
    while true {
      do {
        guard try reader.next() else { return lines }
        lines.append(
          .fields(
            (0..<reader.count).map {
              Field(
                text: reader.text($0), isQuoted: reader.isQuoted($0), place: reader.places[$0])
            }))
      } catch let fault as CSVReader.Fault {
        lines.append(.fault(fault.message, fault.place))
        try reader.skipLine()
      }
      if window.memory.count > 4 * (limit + 2 * chunk) { fatalError("the memory is not bounded") }
    }
  } catch let error as StoreError {
    return lines + [.end("\(error.code)")]
  } catch {
    fatalError("\(error)")
  }
}

private func readRecords(_ data: Data, _ format: CSVFormat) {
  guard let plan = try? mappings[0].plan else { return }
  let form = RecordForm(entity: "Thing") { plan.record.column(at: $0) }
  do {
    let window = try data.window(limit: limit, chunk: 16)
    try CSVSource(window: window, format: format, form: form).forEach { record in
      if record.fault != nil { return }
      let text = String(decoding: record.bytes, as: UTF8.self)
      let brackets = text.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
      if brackets < 500, (try? JSONValue(parsing: text))?.members == nil {
        fatalError("a record became what is no JSON object: \(text)")
      }
      _ = try? mappings[0].decode(Data(record.bytes))
    }
  } catch is StoreError {
  } catch {
    fatalError("\(error)")
  }
}

/// Called by libFuzzer with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let format = format(start[0])
  let data = Data(UnsafeBufferPointer(start: start + 1, count: count - 1))
  readRecords(data, format)
  let whole = lines(data, format, chunk: 1 << 12)
  // Records past the limit end at once or later, by the size of the blocks.
  guard count <= limit else { return 0 }
  for chunk in [1, 3, 7] where lines(data, format, chunk: chunk) != whole {
    fatalError("other records with blocks of \(chunk) bytes")
  }
  return 0
}
