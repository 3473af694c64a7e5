internal import ORMStorage

/// An element that is sorted by a number first.
protocol AbbreviatedKeySortable: BitwiseCopyable {
  var abbreviatedKey: UInt64 { get }
}

extension Array where Element: AbbreviatedKeySortable {
  /// The number of elements from which a sort by the bytes of the abbreviated keys costs less than
  /// comparing.
  private static var leastForBytes: Int { 256 }

  /// Sorts by the abbreviated keys, and those of the same abbreviated key by `isLess`; ends with the
  /// running operation.
  ///
  /// - Throws: `deadlineExceeded`, `CancellationError`.
  mutating func sortByAbbreviatedKeys(_ isLess: (Element, Element) -> Bool) throws {
    guard count > 1 else { return }
    var differing: UInt64 = 0
    var isAscending = true
    for i in 1..<count {
      differing |= self[i].abbreviatedKey ^ self[0].abbreviatedKey
      isAscending = isAscending && self[i - 1].abbreviatedKey < self[i].abbreviatedKey
    }
    if isAscending { return }
    guard count >= Self.leastForBytes, differing != 0 else {
      return try sortStoppably {
        $0.abbreviatedKey == $1.abbreviatedKey
          ? isLess($0, $1) : $0.abbreviatedKey < $1.abbreviatedKey
      }
    }
    try withUnsafeMutableBufferPointer { elements in
      try Self.sortByBytes(elements, differing)
      var start = 0
      while start < elements.count {
        var end = start + 1
        while end < elements.count, elements[end].abbreviatedKey == elements[start].abbreviatedKey {
          end += 1
        }
        if end - start > 1 {
          var same = UnsafeMutableBufferPointer(rebasing: elements[start..<end])
          try same.sortStoppably(by: isLess)
        }
        start = end
      }
    }
  }

  /// Puts them in order by one byte of the abbreviated keys after another, the last first, each
  /// time leaving those with the same byte as they are; bytes in which no two differ are passed
  /// over.
  private static func sortByBytes(
    _ elements: UnsafeMutableBufferPointer<Element>, _ differing: UInt64
  ) throws {
    let scratch = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    defer { scratch.deallocate() }
    var (from, to) = (elements, scratch)
    try withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { starts in
      for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
        // One byte of three million elements takes some 30 ms.
        try RunningOperation.check()
        starts.initialize(repeating: 0)
        for i in from.indices { starts[Int(from[i].abbreviatedKey >> shift & 0xFF)] += 1 }
        var start = 0
        for byte in starts.indices { (starts[byte], start) = (start, start + starts[byte]) }
        for i in from.indices {
          let byte = Int(from[i].abbreviatedKey >> shift & 0xFF)
          to[starts[byte]] = from[i]
          starts[byte] += 1
        }
        swap(&from, &to)
      }
    }
    if from.baseAddress != elements.baseAddress { _ = elements.update(from: from) }
  }
}
