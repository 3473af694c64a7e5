import Foundation

@testable import ORMExchange

// A target for libFuzzer, linked by `build` beside it.
// The first byte says the form of the CSV, the others are the text. Whatever comes in, a record is
// refused with its location or becomes a JSON object. The same records are found however few bytes the
// reader has at a time, and its memory is bounded. The readers of plain records and of their fields
// find what the general ones do.

private let limit = 300

private struct Field: Equatable {
  var text: String?
  var isQuoted: Bool
  var location: ImportLocation
}

private enum Line: Equatable {
  case fields([Field])
  case fault(String, ImportLocation)
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

private func lines(
  _ data: Data, _ format: CSVFormat, chunk: Int, takesPlain: Bool = true
) -> [Line] {
  var lines: [Line] = []
  do {
    let window = try data.window(limit: limit, chunk: chunk)
    var reader = CSVReader(window, format)
    if !takesPlain { reader.takesPlainRecords = false }
    while true {
      do {
        guard try reader.next() else { return lines }
        lines.append(
          .fields(
            (0..<reader.count).map {
              Field(
                text: reader.text($0), isQuoted: reader.isQuoted($0),
                location: reader.location(of: $0))
            } + [Field(text: nil, isQuoted: reader.isBlank, location: reader.end)]))
      } catch let fault as CSVReader.Fault {
        lines.append(.fault(fault.message, fault.location))
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
      try record.withJSON(check)
    }
  } catch is StoreError {
  } catch {
    fatalError("\(error)")
  }
}

/// Checks that a record became a JSON object.
private func check(_ record: RawRecord) {
  let text = String(decoding: record.bytes, as: UTF8.self)
  let brackets = text.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
  if brackets < 500, (try? JSONValue(parsing: text))?.members == nil {
    fatalError("a record became what is no JSON object: \(text)")
  }
  _ = try? mappings[0].decode(Data(record.bytes))
}

/// Checks that the fields of records are read as their JSON is, in short and in general.
private func compare<Reader: RecordReader>(
  _ pair: ReaderPair<Reader>, _ data: Data, _ format: CSVFormat
) {
  let plan = pair.short.record
  let form = RecordForm(entity: "Flat") { plan.column(at: $0) }
  var known: (source: CSVObjectForm, form: FieldForm?)?
  do {
    let window = try data.window(limit: limit, chunk: 1 << 12)
    try CSVSource(window: window, format: format, form: form).forEach { record in
      if record.fault != nil { return }
      try record.withJSON { json in
        let general = pair.general.find(json)
        let short = pair.short.find(json)
        if short != general { fatalError("\(short)\nis not\n\(general)") }
        guard let csv = record.csv else { return }
        if known?.source !== csv { known = (csv, pair.short.fieldForm(csv)) }
        guard let form = known?.form else { return }
        pair.short.reading.faults.removeAll()
        guard pair.short.readFields(record, form) else {
          if !pair.short.reading.faults.isEmpty { fatalError("faults are left") }
          return
        }
        let fields = pair.short.found(in: record.bytes)
        if fields != general { fatalError("\(fields)\nis not\n\(general)") }
        compareModels(pair, record, json, form)
      }
    }
  } catch is StoreError {
  } catch {
    fatalError("\(error)")
  }
}

private func compareModels<Reader: RecordReader>(
  _ pair: ReaderPair<Reader>, _ record: RawRecord, _ json: RawRecord, _ form: FieldForm
) {
  guard let short = pair.short as? ObjectReader<Flat>,
    let general = pair.general as? ObjectReader<Flat>
  else { return }
  var models: [Flat] = []
  guard short.readFields(record, form, to: &models) else { return }
  var scanner = JSONScanner(json.bytes)
  let model = try? general.read(&scanner, depth: 0)
  if models != [model] { fatalError("\(models)\nis not\n\(String(describing: model))") }
}

/// Called by libFuzzer with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let format = format(start[0])
  let data = Data(UnsafeBufferPointer(start: start + 1, count: count - 1))
  readRecords(data, format)
  for pair in modelReaders { compare(pair, data, format) }
  for pair in rowReaders { compare(pair, data, format) }
  let whole = lines(data, format, chunk: 1 << 12)
  // Records past the limit end at once or later, by the size of the blocks.
  guard count <= limit else { return 0 }
  if lines(data, format, chunk: 1 << 12, takesPlain: false) != whole {
    fatalError("other records by the general reader")
  }
  for chunk in [1, 3, 7] where lines(data, format, chunk: chunk) != whole {
    fatalError("other records with blocks of \(chunk) bytes")
  }
  return 0
}
