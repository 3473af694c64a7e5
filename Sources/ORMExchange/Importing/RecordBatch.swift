/// A batch of records that wait to be read, with a copy of their bytes.
struct RecordBatch {
  private var records: [RawRecord] = []
  private var bytes: [UInt8] = []
  /// The end of each record in the bytes, which move while they grow.
  private var ends: [Int] = []
  /// The fields of the records that have a list of them.
  private var spans: [CSVSpan] = []

  /// Adds a record, and returns the number of records and of bytes.
  mutating func add(_ record: RawRecord, number: Int) -> (records: Int, bytes: Int) {
    bytes.append(contentsOf: record.bytes)
    ends.append(bytes.count)
    if !record.spans.isEmpty { spans.append(contentsOf: record.spans) }
    records.append(record)
    records[records.count - 1].number = number
    return (records.count, bytes.count)
  }

  /// Passes the records to a closure, valid for the length of the call, and forgets them.
  mutating func take(_ body: ([RawRecord]) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { bytes in
      try spans.withUnsafeBufferPointer { spans in
        var start = 0
        var first = 0
        for (index, end) in ends.enumerated() {
          records[index].bytes = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
          start = end
          let count = records[index].spans.count
          if count > 0 {
            records[index].spans = UnsafeBufferPointer(rebasing: spans[first..<first + count])
            first += count
          }
        }
        try body(records)
      }
    }
    records.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    spans.removeAll(keepingCapacity: true)
  }
}
