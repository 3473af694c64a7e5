extension LikePattern {
  /// Returns whether the whole text matches.
  package func matches(_ text: String) -> Bool {
    ByteOrder.withBytes(of: text) { answer(utf8: $0) } ?? false
  }

  /// Returns whether the whole of a text given as UTF-8 matches; nil if the running operation is to end
  /// before that is known.
  ///
  /// The first and the last segment are tried where they must be, and those between are each
  /// found as early as can be, which never has to be taken back: all a segment's matches have the
  /// same number of scalars. Linear in the text while no segment mixes `?` with literals, and
  /// never more than text times pattern.
  package func answer(utf8: UnsafeRawBufferPointer) -> Bool? {
    TextFolding.withFold(of: utf8, options) { answerFolded($0) }
  }

  private func answerFolded(_ text: UnsafeRawBufferPointer) -> Bool? {
    let first = segments[0]
    guard first[0].isFound(in: text, at: 0),
      var position = Self.match(first, after: 0, in: text, at: first[0].count)
    else { return false }
    let last = segments.count - 1
    if last == 0 { return position == text.count }
    guard let end = Self.matchBackwards(segments[last], in: text), end >= position else {
      return false
    }
    for i in 1..<last {
      guard let found = Self.find(segments[i], in: text, from: position, to: end) else {
        // Only a long search asks, and may have ended early.
        let isShort = end - position <= Self.triesUnwatched
        return isShort || RunningOperation.current?.isStopped != true ? false : nil
      }
      position = found
    }
    return true
  }

  /// Returns the end of a segment whose part after its literal of number `index` matches at
  /// `position`.
  private static func match(
    _ segment: Segment, after index: Int, in text: UnsafeRawBufferPointer, at position: Int
  ) -> Int? {
    var position = position
    for i in index + 1..<segment.count {
      guard let next = text.scalarEnd(after: position), segment[i].isFound(in: text, at: next)
      else { return nil }
      position = next + segment[i].count
    }
    return position
  }

  /// Returns the start of the segment if it matches at the text's end.
  private static func matchBackwards(_ segment: Segment, in text: UnsafeRawBufferPointer) -> Int? {
    var position = text.count
    for i in segment.indices.reversed() {
      position -= segment[i].count
      guard segment[i].isFound(in: text, at: position) else { return nil }
      if i > 0 {
        guard let start = text.scalarStart(before: position) else { return nil }
        position = start
      }
    }
    return position
  }

  /// The number of tries after which the running operation is asked whether it is to end early.
  private static var triesUnwatched: Int { 1 << 12 }

  /// Returns the end of the first match at or after `position`, if that is not after `end`; nil also if
  /// the running operation is to end early.
  private static func find(
    _ segment: Segment, in text: UnsafeRawBufferPointer, from position: Int, to end: Int
  ) -> Int? {
    var position = position
    // `?` at the segment's head take the scalars that are there; the search is for the rest.
    var index = 0
    while segment[index].isEmpty, index + 1 < segment.count {
      guard let next = text.scalarEnd(after: position) else { return nil }
      position = next
      index += 1
    }
    var tries = 0
    while let found = segment[index].firstIndex(in: text, from: position, to: end) {
      tries &+= 1
      if tries & (triesUnwatched - 1) == 0, RunningOperation.current?.isStopped == true {
        return nil
      }
      let after = found + segment[index].count
      if let matched = match(segment, after: index, in: text, at: after) {
        return matched <= end ? matched : nil
      }
      position = found + 1
    }
    return nil
  }
}

extension UnsafeRawBufferPointer {
  /// The end of the scalar that begins at `position`; nil at the end of the text.
  fileprivate func scalarEnd(after position: Int) -> Int? {
    guard position < count else { return nil }
    var end = position + 1
    while end < count, self[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }

  /// The start of the scalar that ends at `position`; nil at the start of the text.
  fileprivate func scalarStart(before position: Int) -> Int? {
    guard position > 0 else { return nil }
    var start = position - 1
    while start > 0, self[start] & 0xC0 == 0x80 { start -= 1 }
    return start
  }
}
