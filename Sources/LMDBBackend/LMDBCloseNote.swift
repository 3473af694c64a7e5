/// The note in the lock file that says whether the data file was closed cleanly, and with which
/// stamp.
///
/// Before the first batch of an opening the note is made unclean, durably, and after the last
/// closing clean: a killed process, or a power cut, leaves it unclean, and commits cost nothing. A
/// clean note holds for the very file it was written for, with its times: a file that was changed, copied or
/// replaced since is taken for unclean.
struct LMDBCloseNote: Equatable, Sendable {
  /// "STRATA" and the version of the note.
  private static let magic: UInt64 = 0x5354_5241_5441_0001
  static let wordCount = 10

  /// The number of processes that opened the file and have not closed it; more than there are, when some
  /// were killed.
  var openings: UInt64
  /// True if the processes that have the file open found it sound, so that the last may note it as clean.
  var isTrusted: Bool
  /// The stamp of the file when it was closed; nil if it was written since, or never closed.
  var stamp: LMDBPath.Stamp?

  init(openings: UInt64, isTrusted: Bool, stamp: LMDBPath.Stamp?) {
    self.openings = openings
    self.isTrusted = isTrusted
    self.stamp = stamp
  }

  /// Reads a note; nil for words that are not one.
  init?(words: [UInt64]) {
    guard words.count == Self.wordCount, words[0] == Self.magic,
      words[9] == Self.checksum(words.dropLast())
    else { return nil }
    openings = words[1]
    isTrusted = words[2] & 2 != 0
    guard words[2] & 1 != 0 else { return }
    stamp = LMDBPath.Stamp(
      identity: .init(device: 0, inode: words[3]), size: words[4],
      modified: [Int64(bitPattern: words[5]), Int64(bitPattern: words[6])],
      changed: [Int64(bitPattern: words[7]), Int64(bitPattern: words[8])])
  }

  var words: [UInt64] {
    let flags: UInt64 = (stamp == nil ? 0 : 1) | (isTrusted ? 2 : 0)
    var words: [UInt64] = [Self.magic, openings, flags]
    words += [stamp?.identity.inode ?? 0, stamp?.size ?? 0]
    words += (stamp?.modified ?? [0, 0]).map { UInt64(bitPattern: $0) }
    words += (stamp?.changed ?? [0, 0]).map { UInt64(bitPattern: $0) }
    words.append(Self.checksum(words[...]))
    return words
  }

  /// Returns whether the file is as it was when it was closed.
  ///
  /// The device is not compared: its number may change when the machine starts.
  func isClean(_ now: LMDBPath.Stamp) -> Bool {
    guard var then = stamp else { return false }
    then.identity.device = now.identity.device
    return then == now
  }

  /// FNV-1a, 64 bits, over words (draft-eastlake-fnv): tells a torn note, not a forged one.
  private static func checksum(_ words: ArraySlice<UInt64>) -> UInt64 {
    words.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ $1) &* 0x100_0000_01b3 }
  }
}
