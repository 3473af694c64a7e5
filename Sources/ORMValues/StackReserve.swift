internal import ORMPlatform

/// The stack that a thread has left, measured before work that nests as deep as a condition.
///
/// Threads differ: 8 MiB on most main threads, 512 KiB on Darwin's workers, 128 KiB with musl. A
/// condition inside the limit of depth may need more than a small one has. A function that can
/// throw then throws `tooComplex`; one that cannot runs on a thread of its own.
package struct StackReserve {
  /// The lowest address of the stack.
  private let end: UInt

  /// The stack of the calling thread.
  package static var current: StackReserve {
    #if canImport(Darwin)
      let top = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
      return StackReserve(end: top - UInt(pthread_get_stacksize_np(pthread_self())))
    #else
      var attributes = pthread_attr_t()
      guard getAttributes(pthread_self(), &attributes) == 0 else { return StackReserve(end: 0) }
      defer { pthread_attr_destroy(&attributes) }
      var address: UnsafeMutableRawPointer?
      var size = 0
      pthread_attr_getstack(&attributes, &address, &size)
      return StackReserve(end: UInt(bitPattern: address))
    #endif
  }

  /// The bytes that are left below the caller's frame.
  @inline(never)
  package var left: Int {
    var local: UInt8 = 0
    return withUnsafeMutablePointer(to: &local) {
      // The address alone is looked at; nothing is read through it.
      Int(bitPattern: UInt(bitPattern: $0) &- end)
    }
  }

  // The most stack that any pass over a condition takes for one level, measured, with a margin. Frames
  // of code that was not optimized are larger.
  #if DEBUG
    package static let bytesPerLevel = 16 << 10
    /// The depth that is taken to fit every stack.
    package static let shallow = 3
  #else
    package static let bytesPerLevel = 12 << 10
    /// The depth that is taken to fit every stack.
    package static let shallow = 4
  #endif

  /// The bytes that are reserved for calls that do not nest: stores, an engine, a decoder.
  package static let base = 64 << 10

  /// The most stack, in bytes, that work of `depth` levels takes.
  package static func needed(_ depth: Int) -> Int { base + depth * bytesPerLevel }

  /// Runs work that takes so much stack: here, or where this thread has too little, on a thread that
  /// has enough.
  package static func run<R>(needing needed: Int, _ body: () -> R) -> R {
    guard current.left < needed else { return body() }
    var result: R?
    withoutActuallyEscaping(body) { body in
      let work = Work { result = body() }
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      // Whole pages of any system.
      pthread_attr_setstacksize(&attributes, (needed + 0xFFFF) & ~0xFFFF)
      defer { pthread_attr_destroy(&attributes) }
      let opaque = Unmanaged.passUnretained(work).toOpaque()
      // The work outlives the thread, which is waited for.
      #if canImport(Darwin)
        var thread: pthread_t?
        let code = pthread_create(&thread, &attributes, { Work.run($0) }, opaque)
        if code == 0, let thread { pthread_join(thread, nil) }
      #else
        var thread = pthread_t()
        let code = pthread_create(&thread, &attributes, { Work.run($0) }, opaque)
        if code == 0 { pthread_join(thread, nil) }
      #endif
      withExtendedLifetime(work) {}
    }
    // Without another thread there is this one.
    return result ?? body()
  }

  private final class Work {
    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    static func run(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      if let opaque { Unmanaged<Work>.fromOpaque(opaque).takeUnretainedValue().body() }
      return nil
    }
  }
}

#if !canImport(Darwin)
  // The header declares it for programs of GNU's dialect alone, which Swift's are not; both
  // libraries have had it from early on.
  @_silgen_name("pthread_getattr_np")
  private func getAttributes(
    _ thread: pthread_t, _ attributes: UnsafeMutablePointer<pthread_attr_t>
  ) -> CInt
#endif
