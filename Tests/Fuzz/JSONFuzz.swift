import Foundation

@testable import ORMExchange

// A target for libFuzzer, linked by `build` beside it.
// Whatever bytes come in, JSON is refused with an error or read. What was read is JSON, keeps the
// limits, and is read again from what is written of it. Sources find the same records however few
// bytes they have at a time. Values that are read without a copy are those that the general reader finds.

private let tight: ImportLimits = {
  var limits = ImportLimits()
  (limits.depth, limits.members, limits.nameSize, limits.digits) = (6, 8, 16, 12)
  limits.recordSize = 256
  return limits
}()

/// Returns whether a value is past a limit.
private func exceeds(_ json: JSONValue, depth: Int = 0) -> Bool {
  switch json {
  case .array(let elements):
    depth >= tight.depth || elements.contains { exceeds($0, depth: depth + 1) }
  case .object(let members):
    depth >= tight.depth || members.names.count > tight.members
      || members.names.contains { $0.utf8.count > tight.nameSize }
      || members.contains { exceeds($0.1, depth: depth + 1) }
  default: false
  }
}

/// Returns whether a date is one that ISO 8601 has.
private func isWritable(_ thing: Thing) -> Bool {
  guard let date = thing.date else { return true }
  return (-63_113_904_000..<252_455_616_000).contains(date.timeIntervalSinceReferenceDate)
}

private func decode(_ data: Data, _ mapping: JSONMapping<Thing>) -> [Thing]? {
  do {
    return try mapping.decode(data)
  } catch let error as StoreError where error.code == .invalidImport {
    return nil
  } catch {
    fatalError("the error is no invalidImport: \(error)")
  }
}

private func checkTightLimits(_ data: Data, _ mapping: JSONMapping<Thing>) {
  guard data.withUnsafeBytes({ JSONScanner.firstInvalidByte(of: $0) }) == nil,
    let plan = try? mapping.plan
  else { return }
  let reading = JSONReading(plan.targets, isText: true, limits: tight)
  let reader = ObjectReader(plan, reading)
  var text = String(decoding: data, as: UTF8.self)
  do {
    try text.withUTF8 { utf8 in
      try reader.forEachRecord(in: UnsafeRawBufferPointer(utf8), at: "") {
        _ = try reader.read(&$0, depth: $1, name: $2)
      }
    }
  } catch { return }
  if let json = try? JSONValue(parsing: text), exceeds(json) {
    fatalError("a limit does not hold: \(text)")
  }
}

private struct Record: Equatable {
  var bytes: [UInt8]
  var location: ImportLocation
  var path: String
}

/// The records of a source, and the message of the error that ends it.
private func records(_ data: Data, chunk: Int, isLines: Bool) -> ([Record], String?) {
  var found: [Record] = []
  func take(_ record: RawRecord) {
    found.append(
      Record(bytes: Array(record.bytes), location: record.origin.location, path: record.origin.path)
    )
  }
  do {
    let window = try data.window(limit: 512, chunk: chunk)
    if isLines {
      try LineSource(window: window).forEach(take)
    } else {
      try JSONSource(window: window, path: [], isKeyed: false, entity: "Thing").forEach(take)
    }
  } catch let error as StoreError {
    return (found, error.code == .tooLarge ? "too large" : error.message)
  } catch {
    fatalError("\(error)")
  }
  return (found, nil)
}

/// Checks that records are read in short as in general.
private func compare<Reader: RecordReader>(_ pair: ReaderPair<Reader>, _ data: Data) {
  guard let window = try? data.window(limit: 1 << 12, chunk: 1 << 12) else { return }
  try? JSONSource(window: window, path: [], isKeyed: false, entity: "Flat").forEach { record in
    let (short, general) = (pair.short.find(record), pair.general.find(record))
    switch (short, general) {
    // Text that is no JSON is refused where the reader comes to it.
    case (.fault, .fault): break
    default: if short != general { fatalError("\(short)\nis not\n\(general)") }
    }
    guard let reader = pair.short as? ObjectReader<Flat>,
      let other = pair.general as? ObjectReader<Flat>, case .values = general
    else { return }
    var models: [Flat] = []
    var (scanner, again) = (JSONScanner(record.bytes), JSONScanner(record.bytes))
    let isRead = try? reader.read(&scanner, depth: record.depth, name: nil, to: &models)
    let model = try? other.read(&again, depth: record.depth)
    let read: Flat? = isRead == true ? models.first : nil
    if read != model {
      fatalError("\(String(describing: read))\nis not\n\(String(describing: model))")
    }
  }
}

/// Called by libFuzzer with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let data = Data(UnsafeBufferPointer(start: start, count: count))
  let hasMark = data.starts(with: [0xEF, 0xBB, 0xBF])
  for mapping in mappings {
    checkTightLimits(data, mapping)
    guard let things = decode(data, mapping) else { continue }
    if !hasMark, (try? JSONValue(parsing: String(decoding: data, as: UTF8.self))) == nil {
      fatalError("what is no JSON was read")
    }
    guard things.allSatisfy(isWritable) else { continue }
    do {
      let text = try mapping.encode(things)
      let again = try mapping.decode(text)
      if again != things { fatalError("\(things)\nis written as\n\(text)\nand read as\n\(again)") }
      var other = Thing(id: -1)
      if let first = things.first { try mapping.update(&other, from: mapping.encode(first)) }
    } catch let error as StoreError where error.code == .invalidValue {
      continue
    } catch {
      fatalError("what was read cannot be written and read: \(error)")
    }
  }
  for pair in modelReaders { compare(pair, data) }
  for pair in rowReaders { compare(pair, data) }
  // Records past the window's limit end a source at once or later, by the size of its blocks.
  guard count <= 400 else { return 0 }
  for isLines in [false, true] {
    let whole = records(data, chunk: 1 << 12, isLines: isLines)
    for chunk in [1, 3, 7] {
      let parts = records(data, chunk: chunk, isLines: isLines)
      if parts != whole { fatalError("\(parts)\nis not\n\(whole)") }
    }
  }
  return 0
}
